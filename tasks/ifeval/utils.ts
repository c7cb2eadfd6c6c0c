import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import { checkInstructions } from '../../stages/judge/instructions/instructions.js'

const fields = { instructions: 'instruction_id_list', arguments: 'kwargs' }

/** Scores which of the doc's instructions the answer follows, and whether it follows all: strictly, and with allowances for its form. */
export function followed(doc: JsonObject, [response = '']: readonly string[]): Readonly<Record<string, Json>> {
  const strict = checkInstructions(response, doc, { ...fields, loose: false })
  const loose = checkInstructions(response, doc, { ...fields, loose: true })
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
