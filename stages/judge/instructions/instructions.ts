import { didYouMean } from '../../../base/suggest.js'
import { stripWhiteSpace } from '../../../base/white-space.js'
import type { JsonObject } from '../../../cache/records.js'
import type { Instruction } from './arguments.js'
import * as combination from './combination.js'
import * as content from './content.js'
import * as format from './format.js'
import * as keywords from './keywords.js'
import { responseLanguage } from './language.js'
import * as lengths from './lengths.js'
import * as letterCase from './letter-case.js'
import { noComma } from './punctuation.js'
import { endChecker, quotation } from './start-end.js'

const instructions: Readonly<Record<string, Instruction>> = {
  'keywords:existence': keywords.existence,
  'keywords:frequency': keywords.frequency,
  'keywords:forbidden_words': keywords.forbiddenWords,
  'keywords:letter_frequency': keywords.letterFrequency,
  'language:response_language': responseLanguage,
  'length_constraints:number_sentences': lengths.numberOfSentences,
  'length_constraints:number_paragraphs': lengths.numberOfParagraphs,
  'length_constraints:number_words': lengths.numberOfWords,
  'length_constraints:nth_paragraph_first_word': lengths.firstWordOfParagraph,
  'detectable_content:number_placeholders': content.placeholders,
  'detectable_content:postscript': content.postscript,
  'detectable_format:number_bullet_lists': format.bulletLists,
  'detectable_format:constrained_response': format.constrainedResponse,
  'detectable_format:number_highlighted_sections': format.highlightedSections,
  'detectable_format:multiple_sections': format.multipleSections,
  'detectable_format:json_format': format.jsonFormat,
  'detectable_format:title': format.title,
  'combination:two_responses': combination.twoResponses,
  'combination:repeat_prompt': combination.repeatPrompt,
  'startend:end_checker': endChecker,
  'startend:quotation': quotation,
  'change_case:capital_word_frequency': letterCase.capitalWords,
  'change_case:english_capital': letterCase.englishCapital,
  'change_case:english_lowercase': letterCase.englishLowercase,
  'punctuation:no_comma': noComma,
}

/** An instruction that an answer can be checked for by itself: its id (`keywords:existence`) and arguments. */
export interface GivenInstruction {
  readonly id: string
  readonly args: JsonObject
}

/**
 * Whether an answer follows an instruction of IFEval. An empty one follows none.
 *
 * Source: Zhou et al., Instruction-Following Evaluation for Large Language Models (2023), and their `instructions.py`.
 *
 * @throws Error that names the instruction or argument that is not known.
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

/** The same where it also counts if the answer follows without its first line, its last one, both, or the `*` of Markdown. */
export const followsLoosely = (response: string, given: GivenInstruction): boolean =>
  looseForms(response).some(form => follows(form, given))

function looseForms(response: string): readonly string[] {
  const lines = response.split('\n')
  const within = [lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map(kept => stripWhiteSpace(kept.join('\n')))
  return [response, ...within].flatMap(form => [form, form.replaceAll('*', '')])
}
