// The eight openings of the first page. `model` is a built-in; the walking clip is written by walk.ts
// and read by the core's own BVH reader.

export interface GalleryItem {
  id: string;
  title: string;
  note: string;
  model: string;
  file?: 'walk';
  art: string; // name of the thumbnail in thumbnails.ts
}

export const GALLERY: GalleryItem[] = [
  { id: 'human', title: 'Human figure', note: 'DOF, four goals', model: 'human', art: 'human' },
  { id: 'planar_arm', title: 'The chapter’s arm', note: 'DOF, planar', model: 'planar_arm', art: 'arm' },
  { id: 'panda', title: 'Franka Panda', note: 'DOF, redundant', model: 'panda', art: 'panda' },
  { id: 'ur5', title: 'UR5', note: 'DOF, six turns', model: 'ur5', art: 'ur5' },
  { id: 'walk', title: 'Walking clip', note: 'BVH, 31 joints', model: '', file: 'walk', art: 'walk' },
  { id: 'scara', title: 'SCARA', note: 'DOF, one slides', model: 'scara', art: 'scara' },
  { id: 'chain10', title: 'Ten-link chain', note: 'DOF, planar', model: 'planar_chain', art: 'chain' },
  { id: 'four_bar', title: 'Four-bar linkage', note: 'closed loop', model: 'four_bar', art: 'fourbar' },
];
