import { describe, expect, it } from 'vitest';
import { firstFrameOnly } from '../src/logic/bvh_split';

const bytes = (text: string) => new TextEncoder().encode(text);
const head = 'HIERARCHY\nROOT MOTIONless\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\n';

describe('the first frame of a long motion', () => {
  it.each(['\n', '\r\n'])('keeps the hierarchy and one line (%j)', (end) => {
    const text = `${head}MOTION\nFrames: 3\nFrame Time: 0.03\n1 2 3\n4 5 6\n7 8 9\n`.replaceAll('\n', end).replace('MOTIONless', 'hips');
    const cut = new TextDecoder().decode(firstFrameOnly(bytes(text))!);
    expect(cut.trimEnd()).toBe(`${head}MOTION\nFrames: 1\nFrame Time: 0.03\n1 2 3`.replaceAll('\n', end).replace('MOTIONless', 'hips'));
  });
  it('leaves alone what is no motion of several frames', () => {
    expect(firstFrameOnly(bytes('<robot/>'))).toBeNull();
    expect(firstFrameOnly(bytes(`${head}MOTION\nFrames: 1\nFrame Time: 0.03\n1 2 3\n`))).toBeNull();
    expect(firstFrameOnly(bytes(`${head}MOTION\nFrames: x\nFrame Time: 0.03\n1 2 3\n4 5 6\n`))).toBeNull();
  });
  it('takes MOTION for a line of its own', () => {
    const text = `${head}MOTION\nFrames: 2\nFrame Time: 0.03\n1 2 3\n4 5 6\n`;
    expect(new TextDecoder().decode(firstFrameOnly(bytes(text))!)).toContain('ROOT MOTIONless');
  });
});
