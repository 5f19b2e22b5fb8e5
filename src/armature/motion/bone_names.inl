// What bones are called, in lower case without sides, numbers and the prefixes of kBonePrefixes: one line per part, the
// best word first. Covers Mixamo, CMU and other BVH, MakeHuman, Unreal, Biped, Rigify, Character Creator and iClone,
// VRM and VRoid, Xsens, Rokoko, SMPL, Daz, Roblox, ASF, mGear, Kinect, and the robots of Unitree,
// Boston Dynamics, Aldebaran and MuJoCo.
//
//   BONE(part, words)
BONE(pelvis, "pelvis hips hip lowertorso root torsojoint lowerbody")
BONE(spine, "spine lowerback abdomen thorax chest upperchest waist torso upperspine lowerspine upperback upperbody abdomenlower abdomenupper "
            "chestlower chestupper uppertorso torsolink spinelower spineupper waistpitch waistyaw waistroll utorso ltorso mtorso")
BONE(neck, "neck necklower lowerneck necktwist neckpitch neckyaw")
BONE(head, "head headlink headpitch neckhead")
BONE(collar, "clavicle collar collarbone scapula shldrcollar clavicular shouldershoulder")
BONE(upper_arm, "upperarm uparm arm shldr shldrbend upperarmlink armupper armup shoulderyaw shoulderyawlink uarm armusy uarmlink bicep humerus")
BONE(shoulder, "shoulder")
BONE(lower_arm, "forearm lowarm loarm lowerarm elbow forearmbend lowerarmlink elbowlink elbowpitchlink elbowyaw farm armelx forearmlink radius")
BONE(wrist, "wrist armend wristlink wristyawlink wristrolllink wristpitchlink")
BONE(hand, "hand handlink rubberhand palm")
BONE(upper_leg, "thigh upleg upperleg hip thighbend legupper hipyaw hipyawlink hippitchlink uleg leghpy thighlink femur")
BONE(lower_leg, "shin calf lowleg loleg lowerleg knee leg kneelink kneepitch shinbend legkny lleg shinlink tibia")
BONE(ankle, "ankle legend anklerolllink ankleroll anklelink legakx")
BONE(foot, "foot footlink")
BONE(toe, "toes toebase toe ball tarsal metatarsals toelink")
