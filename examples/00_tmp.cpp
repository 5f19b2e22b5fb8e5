/* */ int main() {}
