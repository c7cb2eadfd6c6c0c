import { ownValue } from '../../../base/named-values.js'
import type { Json } from '../../../base/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { follows, followsLoosely, type GivenInstruction } from './instructions.js'

/** The doc's fields that say its instructions: a list of ids, and a list of what each is given. */
export interface InstructionFields {
  readonly instructions: string
  readonly arguments: string
}

/**
 * Which of a doc's instructions an answer follows, in their order.
 *
 * @throws Error that names the field which is not as it must be.
 */
export function followedOf(
  response: string,
  doc: JsonObject,
  { loose, ...fields }: InstructionFields & { readonly loose: boolean },
): readonly boolean[] {
  const given = instructionsOf(doc, fields)
  return given.map(instruction => (loose ? followsLoosely(response, instruction) : follows(response, instruction)))
}

function instructionsOf(doc: JsonObject, fields: InstructionFields): readonly GivenInstruction[] {
  const [ids, all] = [listOf(doc, fields.instructions), listOf(doc, fields.arguments)]
  return ids.map((id, index) => {
    const args = all[index]
    if (typeof id !== 'string') throw new Error(`the field "${fields.instructions}" must be a list of texts`)
    if (!isObject(args))
      throw new Error(`the field "${fields.arguments}" must be a list of objects, one an instruction`)
    // Columns that only other instructions have are null.
    return { id, args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) }
  })
}

function listOf(doc: JsonObject, field: string): readonly Json[] {
  const value = ownValue(doc, field)
  if (Array.isArray(value)) return value as readonly Json[]
  throw new Error(`the field "${field}" must be a list, not ${value === undefined ? 'absent' : JSON.stringify(value)}`)
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
