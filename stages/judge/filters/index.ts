/** The filters that are there by name. A new one is a file here and a line below; it is loaded when a task names it. */
import type { Catalogue } from '../catalogue.js'
import type { FilterDefinition } from '../define-filter.js'

export const filters: Catalogue<FilterDefinition> = {
  take_first: async () => (await import('./take-first.js')).takeFirst,
  take_first_k: async () => (await import('./take-first-k.js')).takeFirstK,
  majority_vote: async () => (await import('./majority-vote.js')).majorityVote,
  regex: async () => (await import('./regex.js')).regex,
  multi_choice_regex: async () => (await import('./multi-choice-regex.js')).multiChoiceRegex,
  simple_multi_choice_regex: async () => (await import('./simple-multi-choice-regex.js')).simpleMultiChoiceRegex,
  leading_letter: async () => (await import('./leading-letter.js')).leadingLetter,
  lowercase: async () => (await import('./lowercase.js')).lowercase,
  uppercase: async () => (await import('./uppercase.js')).uppercase,
  strip: async () => (await import('./strip.js')).strip,
  remove_whitespace: async () => (await import('./remove-whitespace.js')).removeWhitespace,
  map: async () => (await import('./map.js')).map,
  strip_reasoning: async () => (await import('./strip-reasoning.js')).stripReasoningFilter,
  strip_thinking: async () => (await import('./strip-thinking.js')).stripThinking,
  normalize_text: async () => (await import('./normalize-text.js')).normalizeText,
}
