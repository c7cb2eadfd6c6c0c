/** Finds out whether a clause negates what it mentions: "Nothing is red here." */
import { joinSpaced, joinUnspaced } from './answer-words.js'

/** Ends a clause, so that a negation before it does not reach what stands after it. */
const boundary = new RegExp(
  '[.:](?!\\d)|,(?!\\d)(?! (?:or|nor) (?!rather ))(?!(?:(?: \\p{L}+){1,2},){0,6}(?! (?:but|rather|instead|it|the|there|this|that|he|she|they|I|we|so|because) )(?: \\p{L}+){1,2},? (?:or|nor) )|[!?;。！？；，、：\\n]' +
    '|(?<!\\p{L})(?:but|however|yet|although|though|because|since|so|while|whereas|instead|sondern|aber|mais|pero|sino|mas|ma|bensì|maar|utan|ale|lecz|nego|но|а|αλλά|ama|tetapi|melainkan|nhưng|mà|بل|لكن|אלא)(?!\\p{L})' +
    '|而是|但' +
    '|(?<!\\p{L})and(?= (?:the|it|there|he|she|they|this|that|we|its|his|her) )',
  'iu',
)

/** The clauses of a text, each once. */
export const splitClauses = (text: string): readonly string[] => [
  ...new Set(text.split(boundary).filter(clause => clause !== '')),
]

const before = new RegExp(
  `(?<![\\p{L}\\p{N}])${joinSpaced(({ negates }) => negates)}(?![\\p{L}\\p{N}])|${joinUnspaced(({ negates }) => negates)}`,
  'iu',
)
const anywhere = new RegExp(
  `(?<![\\p{L}\\p{N}])${joinSpaced(({ negatesAnywhere }) => negatesAnywhere)}(?![\\p{L}\\p{N}])|${joinUnspaced(({ negatesAnywhere }) => negatesAnywhere)}`,
  'iu',
)
/** In "No, it is red" the word answers a question. In Portuguese it means "in the". */
const bareNo = /(?<!\p{L})no(?! (?:it|the|there|this|that|they|he|she|i|we) )(?!\p{L})/iu
const portuguese = /(?<!\p{L})(?:o|os|um|uma|está|estão|do|da|dos|das|em|é|na)(?!\p{L})/iu

/** Returns whether the words of a clause around something that it mentions negate it. */
export function isNegated({ before: ahead, after }: { readonly before: string; readonly after: string }): boolean {
  if (before.test(ahead) || anywhere.test(`${ahead} … ${after}`)) return true
  return bareNo.test(ahead) && !portuguese.test(`${ahead} … ${after}`)
}
