import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import type { JsonObject } from '../../../cache/records.js'
import type { Instruction } from './arguments.js'
import * as checks from './checks.js'

const instructions: Readonly<Record<string, Instruction>> = {
  'keywords:existence': checks.existence,
  'keywords:frequency': checks.frequency,
  'keywords:forbidden_words': checks.forbiddenWords,
  'keywords:letter_frequency': checks.letterFrequency,
  'language:response_language': checks.responseLanguage,
  'length_constraints:number_sentences': checks.numberOfSentences,
  'length_constraints:number_paragraphs': checks.numberOfParagraphs,
  'length_constraints:number_words': checks.numberOfWords,
  'length_constraints:nth_paragraph_first_word': checks.firstWordOfParagraph,
  'detectable_content:number_placeholders': checks.placeholders,
  'detectable_content:postscript': checks.postscript,
  'detectable_format:number_bullet_lists': checks.bulletLists,
  'detectable_format:constrained_response': checks.constrainedResponse,
  'detectable_format:number_highlighted_sections': checks.highlightedSections,
  'detectable_format:multiple_sections': checks.multipleSections,
  'detectable_format:json_format': checks.jsonFormat,
  'detectable_format:title': checks.title,
  'combination:two_responses': checks.twoResponses,
  'combination:repeat_prompt': checks.repeatPrompt,
  'startend:end_checker': checks.endChecker,
  'startend:quotation': checks.quotation,
  'change_case:capital_word_frequency': checks.capitalWords,
  'change_case:english_capital': checks.englishCapital,
  'change_case:english_lowercase': checks.englishLowercase,
  'punctuation:no_comma': checks.noComma,
}

/**
 * An instruction that can be checked from the answer alone: its id, such as `keywords:existence`, and its
 * arguments.
 */
interface GivenInstruction {
  readonly id: string
  readonly args: JsonObject
}

/**
 * Returns whether an answer follows an instruction of IFEval. An empty answer follows none.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023), and their
 * `instructions.py`.
 *
 * @throws Error that names the unknown instruction or argument.
 */
export function follows(response: string, { id, args }: GivenInstruction): boolean {
  const instruction = Object.hasOwn(instructions, id) ? instructions[id] : undefined
  if (instruction === undefined) throw new Error(`no instruction "${id}".${didYouMean(id, Object.keys(instructions))}`)
  try {
    return stripWhiteSpace(response) !== '' && instruction(response, args)
  } catch (error) {
    if (error instanceof Error) throw new Error(`${id}: ${error.message}`, { cause: error })
    throw error
  }
}

/**
 * Like {@link follows}, but also true if the answer follows after the first line, the last line, both, or
 * Markdown's `*` are removed.
 */
export const followsLoosely = (response: string, instruction: GivenInstruction): boolean =>
  looseForms(response).some(form => follows(form, instruction))

function looseForms(response: string): readonly string[] {
  const lines = response.split('\n')
  const within = [lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map(keptLines =>
    stripWhiteSpace(keptLines.join('\n')),
  )
  return [response, ...within].flatMap(form => [form, form.replaceAll('*', '')])
}

/** The doc's fields that hold its instructions: a list of ids, and a list of their arguments. */
interface InstructionFields {
  readonly instructions: string
  readonly arguments: string
}

/**
 * Returns whether an answer follows each of a doc's instructions, in their order.
 *
 * @throws Error that names the invalid field.
 */
export function checkInstructions(
  response: string,
  doc: JsonObject,
  { loose, ...fields }: InstructionFields & { readonly loose: boolean },
): readonly boolean[] {
  const ownInstructions = readInstructions(doc, fields)
  return ownInstructions.map(instruction =>
    loose ? followsLoosely(response, instruction) : follows(response, instruction),
  )
}

function readInstructions(doc: JsonObject, fields: InstructionFields): readonly GivenInstruction[] {
  const [ids, argumentList] = [readList(doc, fields.instructions), readList(doc, fields.arguments)]
  return ids.map((id, index) => {
    const args = argumentList[index]
    if (typeof id !== 'string') throw new Error(`the field "${fields.instructions}" must be a list of texts`)
    if (!isObject(args))
      throw new Error(`the field "${fields.arguments}" must be a list of objects, one an instruction`)
    // Columns that belong to other instructions are null.
    return { id, args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) }
  })
}

function readList(doc: JsonObject, field: string): readonly Json[] {
  const value = ownValue(doc, field)
  if (Array.isArray(value)) return value as readonly Json[]
  throw new Error(`the field "${field}" must be a list, not ${value === undefined ? 'absent' : JSON.stringify(value)}`)
}
