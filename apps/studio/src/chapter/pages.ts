// The guided pages, one per figure 5.7 to 5.25: what is set up, what is said, what can be tried. The
// sentences are our own; figure and equation numbers are the book's. To change a page, edit its entry.

export type StageKind = 'assembly' | 'tree' | 'sweep' | 'walk' | 'reach' | 'elbows' | 'vectors' | 'sequence';

export interface StageSpec {
  kind: StageKind;
  model: string;
  title: string;
  note?: string;
  method?: string;
  options?: Record<string, number | string | boolean>;
  gains?: number[];
  /** Pose at the first and the last frame (radians). */
  from: number[];
  to?: number[];
  /** Branch of the two-link answer. */
  elbow?: 1 | -1;
  /** What the change-vector stages draw. */
  draw?: ('levers' | 'g' | 'V' | 'sum')[];
  joints?: number[];
}

export interface TryIt {
  icon: 'target' | 'sliders' | 'step' | 'onion' | 'play' | 'reset';
  label: string;
  goal?: [number, number];
  damping?: number;
  step?: number;
  compare?: boolean;
  frame?: number;
  /** A frame that is looked for in what was computed: where the first two stages come together, where a joint turns most, where
   *  the tip is farthest from its path. */
  find?: 'meet' | 'whip' | 'drift';
}

export interface Page {
  figure: string;
  title: string;
  heading: string;
  section: string;
  facts: string;
  goal?: [number, number];
  stages: StageSpec[];
  text: string[];
  erratum?: string;
  tries: TryIt[];
}

const P8 = Math.PI / 8;
const P4 = Math.PI / 4;
const START = [P8, P4, P4];
const ARM = { model: 'planar_arm', from: START };
const NO_CLAMP = { max_step: 0 };

export const PAGES: Page[] = [
  {
    figure: '5.7',
    title: 'Three links in a plane',
    heading: 'Three links, each placed against the one before',
    section: 'Section 5.1.1',
    facts: 'links 15, 10, 5',
    stages: [{ ...ARM, kind: 'assembly', title: 'Placed one by one', from: [P8, P4, P4] }],
    text: [
      'A link is drawn once, in its own frame. What puts it on the page is a chain of placements: the first one sets the whole arm down, each further one says where the next link sits on the link before.',
      'Scrub, and the links appear in the order in which their placements are multiplied. A point of the third link goes through three matrices, a point of the first through one (eqs 5.1 to 5.3).',
    ],
    tries: [{ icon: 'play', label: 'Show only the first link', frame: 3 }, { icon: 'step', label: 'Open this arm in Step', step: 0 }],
  },
  {
    figure: '5.8',
    title: 'Their tree',
    heading: 'The same three links as a tree',
    section: 'Section 5.1.1',
    facts: 'a node is a link, an arc is a placement',
    stages: [
      { ...ARM, kind: 'tree', title: 'Tree' },
      { ...ARM, kind: 'assembly', title: 'What it draws' },
    ],
    text: [
      'Nodes hold what is drawn, arcs hold where it goes. Reading the arcs from the top down to a node and multiplying gives that node’s place in the world.',
      'Nothing here turns yet: all matrices are constant. The next page adds the one thing that moves.',
    ],
    tries: [{ icon: 'play', label: 'Stop at the second link', frame: 10 }],
  },
  {
    figure: '5.9',
    title: 'Joints that turn',
    heading: 'A variable rotation at each joint',
    section: 'Section 5.1.1',
    facts: 'joint2 and joint3 turn',
    stages: [{ ...ARM, kind: 'sweep', title: 'Joints 2 and 3 turning', to: [P8, P4 + 1.2, P4 - 1.6] }],
    text: [
      'Each joint gets a rotation of its own, done before the constant placement. Change one angle and everything further out swings along, while everything before it stays put.',
      'The pose vector is just the list of those angles. Here two of its three numbers change from frame to frame.',
    ],
    tries: [{ icon: 'play', label: 'Go to the last frame', frame: 20 }, { icon: 'step', label: 'Open this pose in Step', step: 0 }],
  },
  {
    figure: '5.10',
    title: 'Arcs that turn',
    heading: 'The tree with its rotations',
    section: 'Section 5.1.1',
    facts: 'placement, then rotation, on every arc',
    stages: [
      { ...ARM, kind: 'tree', title: 'Tree', to: [P8, P4 + 1.2, P4 - 1.6] },
      { ...ARM, kind: 'sweep', title: 'What it draws', to: [P8, P4 + 1.2, P4 - 1.6] },
    ],
    text: [
      'An arc now carries two matrices: the constant one and the turning one. The turning one comes last in the product and so acts first on the link’s points (eqs 5.4 and 5.5).',
      'Watch the angles on the arcs while the arm moves. Only those numbers change; the tree itself never does.',
    ],
    tries: [{ icon: 'play', label: 'Half way', frame: 10 }],
  },
  {
    figure: '5.11',
    title: 'A second arm',
    heading: 'Two arms on one body',
    section: 'Section 5.1.1',
    facts: 'both arms hang from the same link',
    stages: [{ kind: 'sweep', model: 'two_arms', title: 'Two arms', from: [], to: [] }],
    text: [
      'Nothing new is needed for a second arm: the body simply has two joints going out. The arms share every matrix above the fork and none below it.',
      'Each arm has its own angles in the pose vector, so they move independently.',
    ],
    tries: [{ icon: 'play', label: 'Go to the last frame', frame: 20 }],
  },
  {
    figure: '5.12',
    title: 'A tree that branches',
    heading: 'The tree of the two arms',
    section: 'Section 5.1.1',
    facts: 'two arcs leave the root',
    stages: [
      { kind: 'tree', model: 'two_arms', title: 'Tree', from: [], to: [] },
      { kind: 'sweep', model: 'two_arms', title: 'What it draws', from: [], to: [] },
    ],
    text: [
      'A fork in the figure is a fork in the tree. A sliding joint would look the same here: its arc would hold a translation in place of the rotation.',
      'Whole figures are nothing but more of this: a pelvis with a spine and two legs, a chest with a neck and two arms.',
    ],
    tries: [{ icon: 'play', label: 'Half way', frame: 10 }],
  },
  {
    figure: '5.13',
    title: 'Walking the tree',
    heading: 'Forward kinematics: one walk over the tree',
    section: 'Section 5.2',
    facts: 'depth first, a stack remembers',
    stages: [
      { kind: 'walk', model: 'two_arms', title: 'The walk', from: [], to: [] },
      { kind: 'sweep', model: 'two_arms', title: 'Links drawn so far', from: [], to: [] },
    ],
    text: [
      'Going down an arc multiplies its matrices onto the current one; coming back up restores what was there before. A stack keeps those earlier matrices.',
      'Scrub through the walk: down the first arm to its end, back to the fork, down the second arm. Every link is drawn exactly once, with the matrix of its moment.',
    ],
    erratum: 'The listing calls the node’s own matrix by two names. It readies the node’s drawing and must never reach the children: it is applied after the push and gone after the pop.',
    tries: [{ icon: 'play', label: 'Back at the fork', frame: 10 }],
  },
  {
    figure: '5.14',
    title: 'Two-link arm',
    heading: 'What a two-link arm can reach',
    section: 'Section 5.3.1',
    facts: 'a ring between two circles',
    stages: [{ kind: 'reach', model: 'two_link', title: 'Reach', method: 'two_link', from: [] }],
    text: [
      'Fully stretched, the tip is as far out as the two lengths together. Folded back, it comes no nearer than their difference. Between those two circles every point can be reached.',
      'Drag the goal out of the ring and the answer is the nearest point, with a sentence that says so.',
    ],
    tries: [{ icon: 'target', label: 'Put the goal outside', goal: [1.7, 1.1] }, { icon: 'target', label: 'Put it back inside', goal: [0.8, 0.9] }],
  },
  {
    figure: '5.15',
    title: 'Both elbows',
    heading: 'Two answers by the law of cosines',
    section: 'Section 5.3.1',
    facts: 'elbow on either side',
    stages: [
      { kind: 'elbows', model: 'two_link', title: 'One elbow', method: 'two_link', from: [], elbow: 1 },
      { kind: 'elbows', model: 'two_link', title: 'The other', method: 'two_link', from: [], elbow: -1 },
    ],
    text: [
      'The three distances, base to elbow, elbow to tip and base to goal, fix a triangle. The law of cosines gives its angles, and the triangle may lie on either side of the line to the goal.',
      'Both answers are exact, without any iteration. At frame {meet} the goal has left the ring: from there on both arms are stretched out and are one.',
    ],
    erratum: 'The printed first line has acos on the wrong side, acos also loses the sign of y, and the last line gives the inner angle of the elbow. Use atan2(y, x), and turn the joint by π minus that angle, with the sign of the chosen side.',
    tries: [{ icon: 'play', label: 'Where the two meet', find: 'meet' }],
  },
  {
    figure: '5.16',
    title: 'A joint moves the tip',
    heading: 'What one turning joint does to the tip',
    section: 'Section 5.3.2',
    facts: 'axis × lever',
    stages: [{ ...ARM, kind: 'vectors', title: 'Joint 1 alone', to: [P8 + 1.4, P4, P4], draw: ['levers', 'g'], joints: [0] }],
    text: [
      'Turn a single joint and the tip moves on a circle about it. At any moment it moves at right angles to the line from joint to tip, and the faster the longer that line.',
      'A sliding joint would move the tip along its own axis, wherever the tip is, and would not turn it at all.',
    ],
    tries: [{ icon: 'play', label: 'A quarter of the way', frame: 5 }],
  },
  {
    figure: '5.17',
    title: 'Arm and goal',
    heading: 'The arm, its goal, and the way between',
    section: 'Section 5.3.2',
    facts: 'links 15, 10, 5; goal (−20, 5)',
    goal: [-20, 5],
    stages: [{ ...ARM, kind: 'vectors', title: 'Levers and the wanted change', method: 'dls', draw: ['levers', 'V'] }],
    text: [
      'The wanted change is the arrow from tip to goal (eq. 5.16). Each joint reaches the tip with its own lever, drawn as a dotted line.',
      'No joint alone can move the tip that way. The question of the next pages is how much of each to take.',
    ],
    tries: [{ icon: 'step', label: 'Open in Step', step: 0 }, { icon: 'target', label: 'Move the goal to (10, 20)', goal: [10, 20] }],
  },
  {
    figure: '5.18',
    title: 'Change vectors',
    heading: 'The columns of the Jacobian, drawn at the tip',
    section: 'Section 5.3.2',
    facts: 'g1, g2, g3 at the tip',
    goal: [-20, 5],
    stages: [{ ...ARM, kind: 'vectors', title: 'Instantaneous change of each joint', method: 'dls', draw: ['levers', 'g', 'V', 'sum'] }],
    text: [
      'Each arrow g is where the tip would go if that joint alone turned by one radian a second. Put side by side they are the columns of J (eq. 5.17).',
      'Solving for the joint changes means finding how much of each arrow adds up to the wanted one. The dashed arrows, tip to tail, are what damped least squares takes.',
    ],
    tries: [{ icon: 'step', label: 'See the numbers in Step', step: 0 }, { icon: 'play', label: 'Near the goal', frame: 16 }],
  },
  {
    figure: '5.19',
    title: 'A singular arm',
    heading: 'Stretched out, with the goal on the arm',
    section: 'Section 5.3.3',
    facts: 'goal (18, 0) on the straight arm',
    goal: [18, 0],
    stages: [{ ...ARM, kind: 'vectors', title: 'All arrows in one line', method: 'dls', from: [0, 0, 0], to: [-0.35, 0.8, 0.5], draw: ['levers', 'g', 'V'] }],
    text: [
      'With the arm straight, every joint moves the tip sideways, and the goal lies inwards. No sum of these arrows points at it: the smallest singular value is zero.',
      'Scrub to bend the arm a little. The arrows fan out, but as long as they nearly agree, huge turns are needed for a small pull inwards. That is why steps near such a pose are damped or clamped.',
    ],
    tries: [{ icon: 'play', label: 'A slight bend', frame: 2 }, { icon: 'step', label: 'Open the straight arm in Step', step: 0 }],
  },
  {
    figure: '5.20',
    title: 'Goal in reach',
    heading: 'Goal in reach: pseudoinverse and damped least squares',
    section: 'Section 5.3.3',
    facts: 'links 15, 10, 5; goal (−20, 5)',
    goal: [-20, 5],
    stages: [
      { ...ARM, kind: 'sequence', title: 'Pseudoinverse', method: 'pseudoinverse', options: NO_CLAMP },
      { ...ARM, kind: 'sequence', title: 'Damped least squares', note: 'damping 1', method: 'dls', options: { ...NO_CLAMP, damping: 1 } },
    ],
    text: [
      'The goal slides along a straight line in 21 frames. Each frame takes one step of the Jacobian, so the tip follows the line closely but never exactly: joints turn along arcs, and a step is straight.',
      'In reach the two methods look the same. Damping of 1 costs a hair of accuracy: at the last frame the pseudoinverse is {0.off} from the goal and the damped arm {1.off}.',
      'The difference shows on the next page, where the goal leaves the reach.',
    ],
    erratum: 'The paragraph on the alternative Jacobian sends you to figure 5.19. It means this figure, 5.20.',
    tries: [
      { icon: 'target', label: 'Drag the goal past the dotted circle', goal: [-33, 8] },
      { icon: 'sliders', label: 'Raise the damping to 5', damping: 5 },
      { icon: 'step', label: 'Open frame 10 in Step', step: 10 },
      { icon: 'onion', label: 'Open both in Compare', compare: true },
    ],
  },
  {
    figure: '5.21',
    title: 'Goal out of reach',
    heading: 'Goal out of reach: where damping earns its keep',
    section: 'Section 5.3.3',
    facts: 'links 15, 10, 5; goal (−35, 5)',
    goal: [-35, 5],
    stages: [
      { ...ARM, kind: 'sequence', title: 'Pseudoinverse', method: 'pseudoinverse', options: NO_CLAMP },
      { ...ARM, kind: 'sequence', title: 'Damped least squares', note: 'damping 5', method: 'dls', options: { ...NO_CLAMP, damping: 5 } },
    ],
    text: [
      'The path leads out of the circle that the arm can reach. As the arm straightens, the undamped method asks for larger and larger turns to gain the last bit: most of all at frame {whip}.',
      'The largest turn of a joint in one frame is {0.jump} without damping and {1.jump} with it. At the last frame the tip is {0.off} from the goal without damping and {1.off} with it.',
    ],
    tries: [{ icon: 'play', label: 'Where it whips', find: 'whip' }, { icon: 'sliders', label: 'Lower the damping to 1', damping: 1 }, { icon: 'onion', label: 'Open both in Compare', compare: true }],
  },
  {
    figure: '5.22',
    title: 'Control term',
    heading: 'Control term: which joint should stay straight',
    section: 'Section 5.3.3',
    facts: 'desired angles 0; goal (−20, 5)',
    goal: [-20, 5],
    stages: [
      { ...ARM, kind: 'sequence', title: 'Gains 0.1, 0.5, 0.1', method: 'pseudoinverse', options: NO_CLAMP, gains: [0.1, 0.5, 0.1] },
      { ...ARM, kind: 'sequence', title: 'Gains 0.1, 0.1, 0.5', method: 'pseudoinverse', options: NO_CLAMP, gains: [0.1, 0.1, 0.5] },
    ],
    text: [
      'Three joints, two coordinates: one motion is left over that does not move the tip. The control term spends it on drawing the joints towards angles of your choice, here all zero.',
      'A high gain on joint 2 keeps the elbow straighter; a high gain on joint 3 does the same for the wrist. The tip takes the same path in both rows (eqs 5.25 to 5.31).',
    ],
    erratum: 'Eq. 5.27 prints a square. A square has no sign, and a joint below its desired angle would be pushed away. What is used here is the gradient, gain times (angle minus desired angle).',
    tries: [{ icon: 'play', label: 'Compare at frame 15', frame: 15 }, { icon: 'step', label: 'Open frame 10 in Step', step: 10 }],
  },
  {
    figure: '5.23',
    title: 'Jacobian at the goal',
    heading: 'Alternative Jacobian: levers measured to the goal',
    section: 'Section 5.3.3',
    facts: 'links 15, 10, 5; goal (−20, 5)',
    goal: [-20, 5],
    stages: [
      { ...ARM, kind: 'sequence', title: 'At the goal', note: 'jacobian at goal', method: 'pseudoinverse', options: { ...NO_CLAMP, jacobian_at: 'target' } },
      { ...ARM, kind: 'sequence', title: 'At the effector', method: 'pseudoinverse', options: NO_CLAMP },
    ],
    text: [
      'Take the levers from each joint to the goal instead of to the tip, and the same equations pull the goal towards the arm. For a goal one frame ahead the two are nearly alike.',
      'At the last frame the tip is {0.off} from the goal this way and {1.off} the usual way.',
    ],
    tries: [{ icon: 'play', label: 'The last frame', frame: 20 }, { icon: 'step', label: 'Open frame 10 in Step', step: 10 }],
  },
  {
    figure: '5.24',
    title: 'Transpose',
    heading: 'The transpose: no inverse at all',
    section: 'Section 5.3.3',
    facts: 'step length by line search',
    goal: [-20, 5],
    stages: [{ ...ARM, kind: 'sequence', title: 'Jacobian transpose', method: 'transpose', options: NO_CLAMP }],
    text: [
      'Each joint turns by how well its arrow points along the wanted change, all scaled by one factor. No system is solved, so a step is cheap, but what the arrows do sideways is not corrected: the tip drifts off the line, by {0.drift} at frame {drift}.',
      'At the last frame it is {0.off} from the goal.',
    ],
    erratum: 'The caption names a scale of 0.1. For this arm in these units any fixed scale above about 0.002 diverges. Here the scale is chosen by line search at each frame; a fixed one is an option.',
    tries: [{ icon: 'play', label: 'Where it drifts most', find: 'drift' }, { icon: 'step', label: 'Open frame 10 in Step', step: 10 }],
  },
  {
    figure: '5.25',
    title: 'Cyclic descent',
    heading: 'Cyclic coordinate descent: one joint after the other',
    section: 'Section 5.3.3',
    facts: 'one sweep a frame, outermost joint first',
    goal: [-20, 5],
    stages: [{ ...ARM, kind: 'sequence', title: 'Cyclic coordinate descent', method: 'ccd', options: NO_CLAMP }],
    text: [
      'From the tip inwards, each joint is turned so that the tip comes as near to the goal as that joint alone can bring it. No matrix is inverted, and limits are easy to keep; a straight arm with the goal on its own line still cannot begin to bend.',
      'The inner angles differ from all pages before: the outer joints are adjusted first and do most of the bending. The last frame is {0.off} from the goal, and at frame {drift} the tip is {0.drift} off the line.',
    ],
    tries: [{ icon: 'play', label: 'The last frame', frame: 20 }, { icon: 'onion', label: 'Open in Compare', compare: true }],
  },
];

export const pageOf = (figure: string): Page => PAGES.find((p) => p.figure === figure) ?? PAGES[0]!;
