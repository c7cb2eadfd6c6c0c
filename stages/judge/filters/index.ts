/** The filters that are there by name. A new one is a file here and a line below; it is loaded when a task names it. */
import type { Catalogue } from '../catalogue.js'
import type { FilterDefinition } from '../define-filter.js'

export const filters: Catalogue<FilterDefinition> = {
  take_first: async () => (await import('./take-first.js')).takeFirst,
  regex: async () => (await import('./regex.js')).regex,
  lowercase: async () => (await import('./lowercase.js')).lowercase,
  uppercase: async () => (await import('./uppercase.js')).uppercase,
  strip: async () => (await import('./strip.js')).strip,
  remove_whitespace: async () => (await import('./remove-whitespace.js')).removeWhitespace,
  map: async () => (await import('./map.js')).map,
  strip_reasoning: async () => (await import('./strip-reasoning.js')).stripReasoningFilter,
  normalize_text: async () => (await import('./normalize-text.js')).normalizeText,
}
