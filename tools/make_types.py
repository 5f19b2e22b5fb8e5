#!/usr/bin/env python3
"""Writes bindings/wasm/goals.d.ts, the TypeScript types of goals, from docs/formats/goals.schema.json, which a test
compares with what each goal describes (`describe` in solve/goal_types.hpp). A new goal or field appears by itself.

  tools/make_types.py            writes the file
  tools/make_types.py --print    prints it
"""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEMA = json.load(open(os.path.join(ROOT, "docs/formats/goals.schema.json"), encoding="utf-8"))
DEFS = SCHEMA["$defs"]
TYPES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def type_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        return camel(name) if "properties" in DEFS[name] else type_of(DEFS[name])
    if "const" in schema:
        return f"'{schema['const']}'"
    if "enum" in schema:
        return " | ".join(f"'{word}'" for word in schema["enum"])
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(type_of(part) for part in schema[key]))
    if schema.get("type") == "array":
        item = type_of(schema.get("items", {"type": "number"}))
        return "ArrayLike<number>" if item == "number" else f"({item})[]" if "|" in item else f"{item}[]"
    if "properties" in schema:
        return "{ " + " ".join(f"{name}?: {type_of(part)};" for name, part in schema["properties"].items()) + " }"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values)}>" if isinstance(values, dict) else "Record<string, unknown>"
    if isinstance(schema.get("type"), list):
        return " | ".join(TYPES.get(name, "unknown") for name in schema["type"])
    return TYPES.get(schema.get("type"), "unknown")


def camel(name):
    return "".join(word.capitalize() for word in name.split("_")) + ("Goal" if is_goal(name) else "")


def is_goal(name):
    return "type" in DEFS[name].get("properties", {})


def interface(name):
    schema = DEFS[name]
    lines = [f"export interface {camel(name)} {{"]
    for field, part in schema["properties"].items():
        if part.get("description"):
            lines.append(f"  /** {part['description']} */")
        needed = field in schema.get("required", [])
        lines.append(f"  {field}{'' if needed else '?'}: {type_of(part)};")
    return "\n".join(lines + ["}"])


def text():
    goals = [name for name in DEFS if is_goal(name)]
    parts = ["// Made by tools/make_types.py from docs/formats/goals.schema.json. Do not edit.", ""]
    parts += [interface(name) + "\n" for name in DEFS if "properties" in DEFS[name]]
    parts.append(f"export type GoalType = {' | '.join(repr(name) for name in goals)};")
    parts.append("/** A place, a quaternion, both, a 4x4 matrix by rows, a transform, or 'here': where the start pose has it. */")
    parts.append("export type Target = ArrayLike<number> | { position?: ArrayLike<number>; quaternion?: ArrayLike<number>; "
                 "rpy?: ArrayLike<number>; matrix?: ArrayLike<number> } | 'here';")
    parts.append("/** What says no type is a position, orientation or pose by its target. */")
    parts.append(f"export type Goal = {' | '.join(camel(name) for name in goals)} | (Omit<PoseGoal, 'type' | 'target'> & "
                 "{ type?: undefined; target: Target; axes?: Axes });")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(text())
    else:
        with open(os.path.join(ROOT, "bindings/wasm/goals.d.ts"), "w", encoding="utf-8") as out:
            out.write(text())
