import { describe, expect, it } from 'vitest';
import { goodFrames } from '../src/logic/bvh_rescue';

const file = 'HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 3\nFrame Time: 0.03\n1 2 3\n4 5 6\n7 8\n';

describe('a broken motion', () => {
  it('keeps the frames before the line that is wrong', () => {
    expect(goodFrames(file, 10)).toEqual({ frames: 2, text: 'HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 2\nFrame Time: 0.03\n1 2 3\n4 5 6\n' });
  });
  it('has nothing to offer when the first frame or the skeleton is wrong', () => {
    expect(goodFrames(file, 8)).toBeNull();
    expect(goodFrames(file, 2)).toBeNull();
    expect(goodFrames('no motion', 1)).toBeNull();
  });
});
