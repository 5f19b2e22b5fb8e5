// The figure in WebGL: bodies, ground, soft shadow, skin, obstacles. Renders only when asked; the
// stage decides when. The camera is the studio's own, so the overlay and this agree to the pixel.
import type { ModelDescription, SkinnedMesh as SkinData } from '../logic/model';
import {
  AmbientLight,
  BackSide,
  Bone,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CustomBlending,
  DirectionalLight,
  DoubleSide,
  FrontSide,
  Group,
  HemisphereLight,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  OneFactor,
  OneMinusSrcAlphaFactor,
  OrthographicCamera,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Skeleton,
  SkinnedMesh,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
  VSMShadowMap,
  WebGLRenderer,
} from 'three';
import type { Camera } from '../logic/camera';
import type { SceneObstacle } from '../logic/scene';
import type { Band, Strip } from '../logic/slice';
import { BANDS } from './workspace_svg';
import { groundMaterial } from './ground';
import { outlineMaterial } from './outline';
import { parts, ShapeStore, type Finish, type MeshOf } from './shapes';
import { Palette } from './theme';

const FINISH: Record<Finish, { token: string; edge: string }> = {
  figure: { token: '--fig-mid', edge: '--fig-edge' },
  shell: { token: '--bot-mid', edge: '--bot-edge' },
  housing: { token: '--bot2-mid', edge: '--bot2-lo' },
};

export class Body {
  readonly palette = new Palette();
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private perspective = new PerspectiveCamera(32, 1, 0.01, 1000);
  private orthographic = new OrthographicCamera(-1, 1, 1, -1, -100, 1000);
  private hemisphere = new HemisphereLight();
  private sun = new DirectionalLight();
  private fill = new AmbientLight();
  private ground = new Mesh(new PlaneGeometry(1, 1), groundMaterial());
  private shadow = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ transparent: true }));
  private store = new ShapeStore();
  private materials = new Map<string, MeshLambertMaterial>(); // by finish, or finish and the token that tints it
  private obstacles = new Group();
  private slice = new Group();
  private strips: Strip[] = [];
  private outlines = new Map<Finish, ShaderMaterial>();
  private links: Group[] = [];
  private bones: Bone[] = [];
  private skins: SkinnedMesh[] = [];
  private rigid: BufferGeometry[] = [];
  private model: ModelDescription | null = null;
  private ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = VSMShadowMap;
    this.renderer.setClearColor(0, 0);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(512, 512);
    this.sun.shadow.radius = 7;
    this.sun.shadow.blurSamples = 12;
    this.shadow.receiveShadow = true;
    this.ground.renderOrder = -2;
    this.shadow.renderOrder = -1;
    this.scene.add(this.hemisphere, this.sun, this.sun.target, this.fill, this.ground, this.shadow, this.obstacles, this.slice);
  }

  setModel(model: ModelDescription, skins: SkinData[] = [], meshOf: MeshOf = () => null): void {
    this.clear();
    this.model = model;
    this.links = model.links.map(() => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      this.scene.add(group);
      return group;
    });
    if (skins.length === 0) {
      const list = parts(model, this.store, meshOf);
      const outlined = list.length <= 160;
      const shaded = list.length <= 600; // each shadow is one more drawing of the part
      for (const part of list) {
        const mesh = new Mesh(part.geometry, this.material(part.finish, '', part.paint));
        mesh.matrixAutoUpdate = false;
        mesh.matrix.copy(part.matrix);
        mesh.castShadow = shaded;
        mesh.receiveShadow = false;
        Object.assign(mesh.userData, { finish: part.finish, paint: part.paint });
        this.links[part.link]!.add(mesh);
        if (outlined) {
          const edge = new Mesh(part.geometry, this.outline(part.finish));
          edge.matrixAutoUpdate = false;
          edge.matrix.copy(part.matrix);
          this.links[part.link]!.add(edge);
        }
      }
    } else this.addSkins(model, skins);
    this.layGround(model);
    this.retheme();
  }

  private addSkins(model: ModelDescription, skins: SkinData[]): void {
    this.bones = model.links.map(() => {
      const bone = new Bone();
      bone.matrixAutoUpdate = false;
      this.scene.add(bone);
      return bone;
    });
    for (const skin of skins) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(skin.positions, 3));
      if (skin.normals) geometry.setAttribute('normal', new BufferAttribute(skin.normals, 3));
      geometry.setIndex(new BufferAttribute(skin.indices, 1));
      if (!skin.normals) geometry.computeVertexNormals();
      if (skin.joints && skin.weights) {
        geometry.setAttribute('skinIndex', new BufferAttribute(skin.joints, 4));
        geometry.setAttribute('skinWeight', new BufferAttribute(skin.weights, 4));
        const mesh = new SkinnedMesh(geometry, this.material('figure'));
        const inverses = skin.links.map((_, i) => new Matrix4().fromArray(skin.inverse_bind, 16 * i));
        mesh.bind(new Skeleton(skin.links.map((l) => this.bones[l]!), inverses), new Matrix4());
        mesh.frustumCulled = false;
        mesh.castShadow = true;
        this.scene.add(mesh);
        this.skins.push(mesh);
      } else {
        const mesh = new Mesh(geometry, this.material('figure'));
        mesh.castShadow = true;
        this.links[skin.link]?.add(mesh);
        this.rigid.push(geometry);
      }
    }
  }

  private material(finish: Finish, tint = '', paint = ''): MeshLambertMaterial {
    const key = tint ? `${finish} ${tint}` : paint ? `${finish} ${paint} paint` : finish;
    let material = this.materials.get(key);
    if (!material) {
      material = new MeshLambertMaterial({ side: finish === 'figure' ? DoubleSide : FrontSide });
      const like = this.materials.get(finish);
      if (like) [material.transparent, material.opacity] = [like.transparent, like.opacity];
      this.materials.set(key, material);
      this.colour(key, material);
    }
    return material;
  }
  private colour(key: string, material: MeshLambertMaterial): void {
    const [finish, tint, paint] = key.split(' ') as [Finish, string | undefined, string | undefined];
    material.color.copy(this.palette.color(FINISH[finish].token));
    if (tint) material.color.lerp(this.palette.color(tint), paint ? 0.85 : 0.45);
  }
  /** Colours links by a token each; null puts all back. */
  setTints(tokenOf: ((link: string) => string | undefined) | null): void {
    this.links.forEach((group, i) => {
      const tint = tokenOf?.(this.model!.links[i]!.name) ?? '';
      for (const child of group.children) {
        const finish = child.userData.finish as Finish | undefined;
        if (finish) (child as Mesh).material = this.material(finish, tint, child.userData.paint as string);
      }
    });
  }
  setObstacles(list: SceneObstacle[], up: 'y' | 'z', size: number): void {
    for (const child of this.obstacles.children) (child as Mesh).geometry.dispose();
    this.obstacles.clear();
    const material = this.material('housing');
    for (const o of list) {
      const flat = up === 'y' ? ([1, 0.002, 1] as const) : ([1, 1, 0.002] as const);
      const geometry = o.type === 'sphere' ? new SphereGeometry(o.size[0], 28, 18) : o.type === 'box' ? new BoxGeometry(...o.size) : new BoxGeometry(4 * size * flat[0], 4 * size * flat[1], 4 * size * flat[2]);
      const mesh = new Mesh(geometry, material);
      mesh.position.set(...o.position);
      mesh.castShadow = o.type !== 'plane';
      this.obstacles.add(mesh);
    }
  }
  /** A cut through the workspace, behind the figure: drawn before it, blended with the ground. */
  setSlice(strips: Strip[]): void {
    if (strips === this.strips) return;
    this.strips = strips;
    for (const child of this.slice.children as Mesh[]) {
      child.geometry.dispose();
      (child.material as MeshBasicMaterial).dispose();
    }
    this.slice.clear();
    for (const band of Object.keys(BANDS) as Band[]) {
      const list = strips.filter((s) => s.band === band);
      if (list.length === 0) continue;
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(Float32Array.from(list.flatMap(({ corners: [a, b, c, d] }) => [...a, ...b, ...c, ...a, ...c, ...d])), 3));
      const { token, opacity } = BANDS[band];
      const mesh = new Mesh(geometry, new MeshBasicMaterial({ color: this.palette.color(token), blending: CustomBlending, blendSrcAlpha: OneFactor, blendDstAlpha: OneMinusSrcAlphaFactor, opacity, depthWrite: false, side: DoubleSide }));
      mesh.renderOrder = -1;
      mesh.frustumCulled = false;
      this.slice.add(mesh);
    }
  }
  private outline(finish: Finish): ShaderMaterial {
    let material = this.outlines.get(finish);
    if (!material) {
      material = outlineMaterial();
      material.side = BackSide;
      this.outlines.set(finish, material);
    }
    return material;
  }

  private layGround(model: ModelDescription): void {
    const size = model.reach * 12;
    for (const mesh of [this.ground, this.shadow]) {
      mesh.rotation.set(model.up === 'y' ? -Math.PI / 2 : 0, 0, 0);
      mesh.scale.set(size, size, 1);
      mesh.updateMatrixWorld();
    }
    const cell = 10 ** Math.round(Math.log10(model.reach / 5));
    const uniforms = (this.ground.material as ShaderMaterial).uniforms;
    uniforms.size!.value = size;
    uniforms.cell!.value = cell;
    uniforms.fade!.value = model.reach * 2.6;
    const r = model.reach;
    const up = model.up === 'y';
    this.sun.position.set(-1.4 * r, up ? 3 * r : -1.6 * r, up ? 1.6 * r : 3 * r);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -1.7 * r;
    shadow.right = shadow.top = 1.7 * r;
    shadow.near = 0.1 * r;
    shadow.far = 8 * r;
    shadow.updateProjectionMatrix();
    this.hemisphere.position.set(-0.35, up ? 1 : -0.4, up ? 0.4 : 1);
  }

  /** Colours from the tokens; call after a theme change. */
  retheme(): void {
    this.strips = []; // coloured anew with the next frame
    this.palette.read();
    for (const [key, material] of this.materials) this.colour(key, material);
    for (const [finish, material] of this.outlines) material.uniforms.color!.value.copy(this.palette.color(FINISH[finish].edge));
    const dark = document.documentElement.dataset.theme === 'dark';
    this.hemisphere.color.copy(this.palette.color('--fig-hi')).lerp(this.palette.color('--bot-hi'), 0.6);
    this.hemisphere.groundColor.copy(this.palette.color('--fig-lo'));
    this.hemisphere.intensity = dark ? 1.5 : 2.0;
    this.sun.intensity = dark ? 1.3 : 1.5;
    this.fill.intensity = dark ? 0.5 : 0.55;
    const u = (this.ground.material as ShaderMaterial).uniforms;
    u.minor!.value.copy(this.palette.color('--grid'));
    u.major!.value.copy(this.palette.color('--grid-major'));
    u.axisX!.value.copy(this.palette.color('--axis-x'));
    const up = this.model?.up ?? 'y';
    u.axisY!.value.copy(this.palette.color(up === 'y' ? '--axis-z' : '--axis-y'));
    const shadow = this.shadow.material as ShadowMaterial;
    shadow.color.copy(this.palette.color('--shadow-ground'));
    shadow.opacity = this.palette.alpha('--shadow-ground');
  }

  setOpacity(opacity: number): void {
    for (const material of this.materials.values()) {
      material.transparent = opacity < 1;
      material.opacity = opacity;
      material.depthWrite = opacity >= 0.99;
      material.needsUpdate = true;
    }
    for (const material of this.outlines.values()) material.visible = opacity > 0.6;
  }
  setVisible(body: boolean): void {
    for (const group of this.links) group.visible = body;
    for (const skin of this.skins) skin.visible = body;
  }

  setFrames(frames: Float64Array): void {
    for (let i = 0; i < this.links.length; i++) {
      const group = this.links[i]!;
      group.matrix.fromArray(frames, 16 * i);
      group.matrixWorldNeedsUpdate = true;
      const bone = this.bones[i];
      if (bone) {
        bone.matrix.fromArray(frames, 16 * i);
        bone.matrixWorldNeedsUpdate = true;
      }
    }
  }

  skinPoint(vertex: number): [number, number, number] | null {
    const skin = this.skins[0];
    if (!skin) return null;
    this.scene.updateMatrixWorld();
    skin.skeleton.update();
    return skin.getVertexPosition(vertex, new Vector3()).toArray();
  }

  /** A few hundred points of all skins as they are drawn: what framing should show. */
  skinExtent(): [number, number, number][] {
    if (this.skins.length === 0) return [];
    this.scene.updateMatrixWorld();
    return this.skins.flatMap((skin) => {
      skin.skeleton.update();
      const count = skin.geometry.getAttribute('position').count;
      const step = Math.max(1, Math.floor(count / 300));
      return Array.from({ length: Math.floor(count / step) }, (_, i) => skin.getVertexPosition(i * step, new Vector3()).toArray());
    });
  }

  resize(width: number, height: number, ratio: number): void {
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }
  get pixelRatio(): number {
    return this.ratio;
  }

  render(camera: Camera): void {
    const { eyePosition: eye, basis } = camera;
    const target = new Vector3(...eye).add(new Vector3(...basis.forward));
    const aspect = camera.width / camera.height;
    const c = camera.state.ortho ? this.orthographic : this.perspective;
    c.position.set(...eye);
    c.up.set(...basis.above);
    c.lookAt(target);
    const far = camera.state.distance * 6 + (this.model?.reach ?? 1) * 20;
    if (c instanceof PerspectiveCamera) {
      c.fov = (camera.fov * 180) / Math.PI;
      c.aspect = aspect;
      c.near = camera.state.distance * 0.01;
    } else {
      const h = camera.halfHeight;
      c.left = -h * aspect;
      c.right = h * aspect;
      c.top = h;
      c.bottom = -h;
      c.near = -far;
    }
    c.far = far;
    c.updateProjectionMatrix();
    for (const material of this.outlines.values()) material.uniforms.pixel!.value = 2 / camera.height;
    this.ground.visible = this.shadow.visible = eye[this.model?.up === 'z' ? 2 : 1]! > 0;
    this.renderer.render(this.scene, c);
  }

  private clear(): void {
    for (const group of this.links) this.scene.remove(group);
    for (const bone of this.bones) this.scene.remove(bone);
    for (const skin of this.skins) {
      this.scene.remove(skin);
      skin.geometry.dispose();
    }
    for (const geometry of this.rigid) geometry.dispose();
    this.rigid = [];
    this.links = [];
    this.bones = [];
    this.skins = [];
    this.store.dispose();
  }
  dispose(): void {
    this.clear();
    this.renderer.dispose();
  }
}
