/** Writes options that an answer names by their number, such as "the second option", with their letters. */
import { spacedCharacter } from '../../text/word-edges.js'
import { conclusion, edge, isRight, joinAlternatives } from './option-words.js'
import { ordinals } from './ordinals.js'
import type { ChoiceText } from './option-text.js'

const start = `(?<!${spacedCharacter})`

const last = 'last|final|letzte[nrs]?|dernière|últim[ao]|ultim[ao]|последн\\p{L}+|最后一|最後一|最後の?|마지막'
const groups = [...ordinals.map((words, i) => `(?<o${String(i)}>${words})`), `(?<last>${last})`].join('|')
const anyOrdinal = `(?:${[...ordinals, last].join('|')})`

const names = joinAlternatives(
  '(?:answer )?(?:option|choice)|alternative|answer|option|antwort(?:option|möglichkeit)?|möglichkeit',
  'réponse|proposition|choix|opci[óo]n|alternativa|respuesta|opção|resposta|opzione|risposta|scelta|вариант\\p{L}*|ответ',
)
const unspacedNames = '(?:选项|選項|答案|選択肢|答え|선택지|보기|옵션|답)'
/** Names that stand before a number. "Answer 2" may be the answer to a question. */
const numberedNames = joinAlternatives(
  'option|choice|alternative|opci[óo]n|alternativa|opção|opzione|optie|seçenek|pilihan|вариант|选项|選項|選択肢|선택지|보기|ตัวเลือก|ข้อ',
)

/**
 * Matches behind an option that is chosen: the end of a clause, or words that say that it is right. "The second option
 * shows a dog" does not choose it.
 */
const ending = `(?=\\s*(?:$|[\\n.;:!。，、！)*_"”」<}]|,(?!\\s*which)|\\(|(?:because|since|as|weil|porque|car)(?!\\p{L})|です|だ|である|입니다|이에요|예요|이다)|${isRight.source})`
const namedOption = new RegExp(
  `${start}(?<!(?:my|other|previous)\\s)(?:${groups})(?:\\s+${names}${edge}|\\s?(?:个|個|项|項|の)?\\s?${unspacedNames}|(?<=[\\u3040-\\u9fff\\uac00-\\ud7a3]\\d?)(?:个|個|项|項)?)${ending}`,
  'giu',
)
const numbered = new RegExp(
  `${start}${numberedNames}\\s*(?:number|no\\.?|nr\\.?|n[º°]|#|número|numero|номер)?\\s*[(*_"]{0,3}(?<digits>\\d{1,2})(?!${spacedCharacter}|[.,]\\d|\\s*%|\\s*(?:or|and|,|/|&|-)\\s*\\(?\\d)[)*_"]{0,3}번?${ending}`,
  'giu',
)
const article = joinAlternatives("the|le|la|el|il|o|a|die|der|das|it[’']s (?:the)?|i (?:choose|pick|select) the")
const whole = new RegExp(
  `^[\\s*_"“#>-]*(?:(?:${article}\\s+)?(?:${groups})(?:\\s+one)?|[(\\[（](?<inner>\\d{1,2})[)\\]）]|(?<label>\\d{1,2})[)）])[\\s*_"”.!]*$`,
  'iu',
)
const afterConclusion = new RegExp(
  `[\\s*_"“$]{0,4}(?:(?:${article}\\s+)?(?:${groups})\\s+one${edge}|[(\\[（](?<inner>\\d{1,2})[)\\]）](?!\\d))`,
  'iuy',
)
const picked = new RegExp(
  `${start}(?:choose|chose|pick|select|go with|going with|say)\\s+the\\s+(?:${groups})\\s+one${edge}`,
  'giu',
)

const inBox = /(?<=boxed\s?\{\s?|<answer>\s?)[([（](?<inner>\d{1,2})[)\]）]/giu

/** Several ordinals that share one name: "the second or the third option". */
const shared = new RegExp(
  `${anyOrdinal}\\s*(?:,|/|${joinAlternatives('or|and|nor|to|oder|und|ou|et|o|y|e|или|и')})\\s*(?:the\\s+|die\\s+|la\\s+)?${anyOrdinal}|next to last|${anyOrdinal}[\\s-]+(?:to[\\s-]+)?(?:last|letzte)`,
  'iu',
)
/** Texts of choices that hold a number: an answer's number may then be that of a text. */
const counted =
  /\p{N}|[一二三四五六七八九十]|(?<!\p{L})(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|none|single|pair|double|triple|half|uno|dos|tres|zwei|drei|deux|trois|два|три)(?!\p{L})/iu
const ranked = new RegExp(anyOrdinal, 'iu')

/**
 * The answer with letters in place of the numbers of options; undefined if it names none so, or if the texts of the
 * choices hold such numbers themselves. A number alone is no such name: it needs "option", brackets, or be an ordinal.
 */
export function letterNumberedOptions(
  answer: string,
  { count, choices }: { readonly count: number; readonly choices: readonly ChoiceText[] },
): string | undefined {
  const text = answer.slice(-longest)
  const hasRanks = choices.some(({ form }) => ranked.test(form)) || shared.test(text)
  const hasCounts = choices.length === 0 || choices.some(({ form }) => counted.test(form))
  const readLetter = (matchGroups: Readonly<Record<string, string | undefined>>): string | undefined => {
    const numeral = matchGroups['digits'] ?? matchGroups['inner'] ?? matchGroups['label']
    if (numeral === undefined ? hasRanks : hasCounts) return undefined
    const rank = ordinals.findIndex((_, i) => matchGroups[`o${String(i)}`] !== undefined)
    const index = numeral === undefined ? (rank < 0 && choices.length > 0 ? count - 1 : rank) : Number(numeral) - 1
    return index >= 0 && index < count ? String.fromCharCode(65 + index) : undefined
  }
  const alone = whole.exec(text)?.groups
  if (alone !== undefined) return readLetter(alone)
  const replace = (...matchParts: readonly unknown[]): string => {
    const letter = readLetter(matchParts.at(-1) as Record<string, string | undefined>)
    return letter === undefined ? String(matchParts[0]) : ` option ${letter}`
  }
  let rewrittenText = text
    .replace(namedOption, replace)
    .replace(numbered, replace)
    .replace(picked, replace)
    .replace(inBox, replace)
  for (const { 0: phrase, index } of [...rewrittenText.matchAll(conclusion)].reverse()) {
    afterConclusion.lastIndex = index + phrase.length
    const match = afterConclusion.exec(rewrittenText)
    const letter = match?.groups && readLetter(match.groups)
    if (match === null || letter === undefined) continue
    rewrittenText = `${rewrittenText.slice(0, match.index)} (${letter}) ${rewrittenText.slice(afterConclusion.lastIndex)}`
  }
  return rewrittenText === text ? undefined : rewrittenText
}

/** The number of characters at the end of an answer that are searched. A looping model can write millions. */
const longest = 20_000
