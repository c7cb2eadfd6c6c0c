import type { Json } from '../../base/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import { follows, followsLoosely, type GivenInstruction } from '../../stages/judge/instructions/instructions.js'
import { text, texts } from '../_shared/options.js'

/** Which of the doc's instructions the answer follows, and whether it follows all: as it is, and with allowances for its form. */
export function followed(doc: JsonObject, [response = '']: readonly string[]) {
  const given = instructionsOf(doc)
  const strict = given.map(instruction => follows(response, instruction))
  const loose = given.map(instruction => followsLoosely(response, instruction))
  return {
    prompt_level_strict_acc: Number(!strict.includes(false)),
    inst_level_strict_acc: strict,
    prompt_level_loose_acc: Number(!loose.includes(false)),
    inst_level_loose_acc: loose,
  }
}

/** The share of instructions that were followed, of all docs together. */
export function shareOfInstructions(docs: readonly Json[]): number | null {
  const all = docs.flatMap(doc => (Array.isArray(doc) ? (doc as readonly Json[]) : []))
  return all.length === 0 ? null : all.filter(isFollowed => isFollowed === true).length / all.length
}

function instructionsOf(doc: JsonObject): readonly GivenInstruction[] {
  const args = doc['kwargs']
  if (!Array.isArray(args)) throw new Error('the field "kwargs" must be a list')
  return texts(doc['instruction_id_list'], 'instruction_id_list').map((id, index) => ({
    id: text(id, 'instruction_id_list'),
    args: argumentsOf((args as readonly Json[])[index]),
  }))
}

/** Columns that only other instructions have are null. */
function argumentsOf(given: Json | undefined): JsonObject {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error('the field "kwargs" must be a list of objects, one an instruction')
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}
