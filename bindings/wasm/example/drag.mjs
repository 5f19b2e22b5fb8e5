// A robot from a URDF whose hand follows the pointer: three.js draws the bones, @armature/core solves.
import { createArmature } from '@armature/core';
import * as THREE from 'three';

const armature = await createArmature();
const robot = await armature.loadModel(new URL('robot.urdf', location.href).href);
const tip = robot.effectors[0];
const solver = robot.solver({ type: 'position', link: tip, target: 'here' }, { method: 'reach' });

const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.setSize(innerWidth, innerHeight);
document.body.append(renderer.domElement);
const camera = new THREE.PerspectiveCamera(40, innerWidth / innerHeight, 0.01, 100);
camera.up.set(0, 0, 1);
camera.position.set(0, -3 * robot.size, robot.size);
camera.lookAt(0, 0, robot.size / 2);
const bones = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x1c5cc0 }));
const scene = new THREE.Scene().add(bones);

function draw() {
  const at = (link) => [0, 1, 2].map((i) => solver.transforms[16 * robot.linkIndex(link) + 12 + i]);
  const points = robot.joints.flatMap((joint) => (joint.parent ? [...at(joint.parent), ...at(joint.child)] : []));
  bones.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  renderer.render(scene, camera);
}
const plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0);
addEventListener('pointermove', (event) => {
  const ray = new THREE.Raycaster();
  ray.setFromCamera(new THREE.Vector2((event.clientX / innerWidth) * 2 - 1, 1 - (event.clientY / innerHeight) * 2), camera);
  const target = ray.ray.intersectPlane(plane, new THREE.Vector3());
  if (!target) return;
  solver.setTarget(0, target.toArray());
  globalThis.report = solver.follow();
  draw();
});
draw();
