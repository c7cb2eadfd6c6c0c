/** The catalogue of filters by name. Each new filter needs a line here. Its file is loaded when a task names it. */
import type { Catalogue } from '../define/catalogue.js'
import type { FilterDefinition } from '../define/define-filter.js'

export const filters = {
  take_first: async () => (await import('./samples.js')).takeFirst,
  take_first_k: async () => (await import('./samples.js')).takeFirstK,
  majority_vote: async () => (await import('./samples.js')).majorityVote,
  regex: async () => (await import('./regex.js')).regex,
  multi_choice_regex: async () => (await import('./regex.js')).multiChoiceRegex,
  simple_multi_choice_regex: async () => (await import('./regex.js')).simpleMultiChoiceRegex,
  leading_letter: async () => (await import('./text.js')).leadingLetter,
  lowercase: async () => (await import('./text.js')).lowercase,
  uppercase: async () => (await import('./text.js')).uppercase,
  strip: async () => (await import('./text.js')).strip,
  remove_whitespace: async () => (await import('./text.js')).removeWhitespace,
  map: async () => (await import('./text.js')).map,
  strip_reasoning: async () => (await import('./text.js')).stripReasoningFilter,
  strip_thinking: async () => (await import('./text.js')).stripThinking,
  normalize_text: async () => (await import('./normalize-text.js')).normalizeText,
} satisfies Catalogue<FilterDefinition>
