#!/usr/bin/env python3
"""Checks the built core library: check_core.py libarmature.a. Prints problems only; exit code 1 on any.

The core never throws, prints, opens files, starts threads or keeps globals. The compiled code cannot hide a lapse: what it
calls stands in its undefined symbols, and what it keeps stands in writable sections.
"""
import re
import subprocess
import sys

FORBIDDEN = re.compile(
    r"^(__cxa_throw|__cxa_allocate_exception|__cxa_begin_catch|printf|vprintf|puts|putchar|fputs|fputc|fprintf|fwrite|fopen|fread|open"
    r"|read|write|pthread_create|pthread_mutex_lock|rand|srand|time"
    r"|_ZSt4cout|_ZSt4cerr|_ZSt4clog|_ZNSt6thread.*|_ZTI.*|__dynamic_cast)$")
# The check handler is the one replaceable thing (base/check.hpp says why).
MAY_KEEP = "9g_handlerE"
# By the names of the house this is a constant, made at its first use.
CONSTANT = re.compile(r"\dk[A-Z]\w*$")
# Eigen looks up the processor's cache sizes once, for products of large matrices.
EIGENS_OWN = "Eigen8internal20manage_caching_sizes"


def main() -> int:
    table = subprocess.run(["objdump", "-t", sys.argv[1]], check=True, capture_output=True, text=True).stdout
    problems = []
    member = "?"
    for line in table.splitlines():
        head = re.match(r"^(\S+):\s+file format", line)
        if head:
            member = head.group(1)
            continue
        entry = re.match(r"^[0-9a-f]{8,16} (.{7}) (\S+)\s+[0-9a-f]+\s+(?:\.\w+ )?(\S+)$", line)
        if not entry:
            continue
        kind, section, name = entry.groups()
        if "throw_error.cpp" in member:  # for callers' mistakes: value() of an error, broken preconditions
            continue
        if section == "*UND*":
            if FORBIDDEN.match(name):
                problems.append(f"{member}: calls {name}")
        elif "O" in kind and re.match(r"^\.(data(?!\.rel\.ro)|bss|tbss|tdata)", section) and MAY_KEEP not in name \
                and not CONSTANT.search(name) and EIGENS_OWN not in name:
            problems.append(f"{member}: keeps a global, {name}")
        elif section.startswith(".init_array"):
            problems.append(f"{member}: runs code before main")
    for problem in sorted(set(problems)):
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
