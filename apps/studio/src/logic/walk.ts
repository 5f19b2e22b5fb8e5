// A walking figure of our own, written as BVH text: 31 joints, one cycle of 48 frames, repeated. Angles
// are sums of a few sines fitted by eye to a calm walk; the hips travel so that the standing foot keeps
// its place. The core's BVH reader reads it like any other file.

interface Bone {
  name: string;
  offset: [number, number, number];
  children?: Bone[];
  end?: [number, number, number];
}

const finger = (side: string, name: string, x: number, z: number): Bone => ({ name: `${side}${name}`, offset: [x, 0, z], end: [x * 0.8, 0, 0] });

function arm(side: 'Left' | 'Right', s: 1 | -1): Bone {
  return {
    name: `${side}Collar`,
    offset: [3 * s, 22, 1],
    children: [
      {
        name: `${side}Shoulder`,
        offset: [14 * s, 0, 0],
        children: [
          {
            name: `${side}Elbow`,
            offset: [29 * s, 0, 0],
            children: [
              {
                name: `${side}Wrist`,
                offset: [25 * s, 0, 0],
                children: [
                  {
                    name: `${side}Hand`,
                    offset: [8 * s, 0, 0],
                    children: [finger(side, 'Thumb', 3 * s, 3), finger(side, 'Index', 8 * s, 0)],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  };
}

function leg(side: 'Left' | 'Right', s: 1 | -1): Bone {
  return {
    name: `${side}Hip`,
    offset: [9 * s, -4, 0],
    children: [
      {
        name: `${side}Knee`,
        offset: [0, -43, 0],
        children: [{ name: `${side}Ankle`, offset: [0, -42, 0], children: [{ name: `${side}Toe`, offset: [0, -7, 13], end: [0, 0, 6] }] }],
      },
    ],
  };
}

const ROOT: Bone = {
  name: 'Hips',
  offset: [0, 0, 0],
  children: [
    leg('Left', 1),
    leg('Right', -1),
    {
      name: 'Waist',
      offset: [0, 9, 0],
      children: [
        {
          name: 'Spine',
          offset: [0, 10, 0],
          children: [
            {
              name: 'Chest',
              offset: [0, 12, 0],
              children: [
                arm('Left', 1),
                arm('Right', -1),
                { name: 'Neck', offset: [0, 26, 0], children: [{ name: 'Jaw', offset: [0, 5, 3], end: [0, -2, 4] }, { name: 'Head', offset: [0, 10, 0], children: [{ name: 'Brow', offset: [0, 6, 6], children: [{ name: 'Crown', offset: [0, 6, -6], end: [0, 4, 0] }] }] }] },
              ],
            },
          ],
        },
      ],
    },
  ],
};

/** Degrees about (z, x, y) of each joint at phase p in [0, 2 pi); joints not named stay straight. */
function angles(p: number): Record<string, [number, number, number]> {
  const hip = (t: number) => 22 * Math.sin(t) + 4;
  const knee = (t: number) => -(28 + 26 * Math.sin(t - 1.9) - 8 * Math.cos(2 * t));
  const sway = 3 * Math.sin(p);
  return {
    Waist: [sway * 0.6, 2, -4 * Math.sin(p)],
    Spine: [-sway * 0.4, 1, -3 * Math.sin(p)],
    Chest: [-sway * 0.4, 1, 9 * Math.sin(p)],
    Neck: [0, 3, -3 * Math.sin(p)],
    Head: [0, -3, -2 * Math.sin(p)],
    LeftHip: [0, -hip(p), 0],
    RightHip: [0, -hip(p + Math.PI), 0],
    LeftKnee: [0, -Math.min(-2, knee(p)), 0],
    RightKnee: [0, -Math.min(-2, knee(p + Math.PI)), 0],
    LeftAnkle: [0, 6 * Math.sin(p + 0.6) - 3, 0],
    RightAnkle: [0, 6 * Math.sin(p + Math.PI + 0.6) - 3, 0],
    LeftShoulder: [-74, 0, 24 * Math.sin(p)],
    RightShoulder: [74, 0, 24 * Math.sin(p)],
    LeftElbow: [0, 0, -(22 - 12 * Math.sin(p))],
    RightElbow: [0, 0, 22 + 12 * Math.sin(p)],
  };
}

export const WALK_FRAMES = 96;
const CYCLE = 48;
const STRIDE = 128; // centimetres a cycle

function channels(bone: Bone, out: Bone[]): void {
  out.push(bone);
  for (const child of bone.children ?? []) channels(child, out);
}

function hierarchy(bone: Bone, depth: number): string {
  const pad = '  '.repeat(depth);
  const list = depth === 0 ? '6 Xposition Yposition Zposition Zrotation Xrotation Yrotation' : '3 Zrotation Xrotation Yrotation';
  let text = `${pad}${depth === 0 ? 'ROOT' : 'JOINT'} ${bone.name}\n${pad}{\n${pad}  OFFSET ${bone.offset.join(' ')}\n${pad}  CHANNELS ${list}\n`;
  for (const child of bone.children ?? []) text += hierarchy(child, depth + 1);
  if (bone.end) text += `${pad}  End Site\n${pad}  {\n${pad}    OFFSET ${bone.end.join(' ')}\n${pad}  }\n`;
  return `${text}${pad}}\n`;
}

/** The clip as BVH text, centimetres. */
export function walkBvh(): string {
  const order: Bone[] = [];
  channels(ROOT, order);
  let text = `HIERARCHY\n${hierarchy(ROOT, 0)}MOTION\nFrames: ${WALK_FRAMES}\nFrame Time: 0.0333333\n`;
  for (let f = 0; f < WALK_FRAMES; f++) {
    const p = (2 * Math.PI * f) / CYCLE;
    const pose = angles(p);
    const height = 96.5 + 1.6 * Math.cos(2 * p + 0.4);
    const row: number[] = [1.2 * Math.sin(p), height, (STRIDE * f) / CYCLE - STRIDE];
    for (const bone of order) row.push(...(pose[bone.name] ?? [0, 0, 0]));
    text += `${row.map((v) => v.toFixed(3)).join(' ')}\n`;
  }
  return text;
}

export const walkJointCount = (): number => {
  const order: Bone[] = [];
  channels(ROOT, order);
  return order.length;
};
