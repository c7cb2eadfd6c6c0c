/** Lists of all options in an answer, which state none of them, and verdicts on each of them. */
import { joinSpaced, joinUnspaced } from '../../text/answer-words/answer-words.js'
import { decide, letterAt, type OptionFound, type Reader } from './option-reader.js'
import { comparedForm } from './option-text.js'

/** A label such as "A.", "(A)", "**A:**" or the first cell of a row, at the begin of a line or behind a space. */
const label = /(?<=^|[\s(\[|*_"“])([A-Z])(?:["”*_]*[.:：)\]】|]+|["”*_]*\s+(?:[|–—→➜-]|=>?)(?=\s)|(?=\s+\())["”*_]*/gmu

interface LabelledPart {
  readonly index: number
  readonly start: number
  /** The text from behind the label up to the next label, or the end of its line. */
  readonly text: string
  readonly end: number
}

/** The longest part of a list, and the number of labels that are looked at. A looping model writes millions. */
const [longestPart, mostLabels] = [300, 2000]

function listParts({ answer, count }: Pick<Reader, 'answer' | 'count'>): readonly LabelledPart[] {
  const labels = Array.from(answer.matchAll(label), match => ({
    index: (match[1] ?? '').charCodeAt(0) - 65,
    start: match.index,
    end: match.index + match[0].length,
  })).filter(({ index }) => index < count)
  return labels.slice(-mostLabels).map(({ index, start, end }, i, all) => {
    const next = all[i + 1]?.start ?? answer.length
    const [line = ''] = answer.slice(end, Math.min(next, end + longestPart)).split('\n', 1)
    return { index, start, text: line, end: end + line.length }
  })
}

const positive = `✅|✓|✔|☑|true|correct|right|yes|accurate|${joinSpaced(({ yes }) => yes)}|${joinSpaced(({ right }) => right)}|${joinUnspaced(({ yes }) => yes)}`
const negative = `❌|✗|✘|✖|(?:not|isn[’']t) (?:correct|right|true)|incorrect|${joinSpaced(({ no }) => no)}|${joinSpaced(({ wrong }) => wrong)}|${joinUnspaced(({ no, wrong }) => `${no}|${wrong}`)}`
const verdict = (words: string): RegExp =>
  new RegExp(
    `(?:^|[:：(（|–—→=>-])[\\s*_"“]*(?:(?:(?:the|this|that) (?:statement|claim|option|answer|choice)|this|that|it) is )?(?:${words})[\\s*_"”]*(?:[.。)）|!,，;–—-]|$)`.replaceAll(
      ' ',
      '\\s+',
    ),
    'iu',
  )
const [isPositive, isNegative] = [verdict(positive), verdict(negative)]

const [tick, cross] = [/[✅✓✔☑]/u, /[❌✗✘✖]/u]
/** Ends what stands on a line before a label, as in a list of check boxes: "☑ C.", "- [x] B.", "❌ A". */
const [tickBefore, crossBefore] = [
  /^[\s>*+-]*(?:[✅✓✔☑]\ufe0f?|\[[xX✓✔]\])[\s*_(]*$/u,
  /^[\s>*+-]*(?:[❌✗✘✖☐⬜]\ufe0f?|\[ \])[\s*_(]*$/u,
]
/** Ends the text before a label with further letters of which its verdict is true: "A, C: right". */
const joinedBefore = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:[A-Z][)*_]{0,2}\\s*(?:[,/&、]|${joinSpaced(({ joins }) => joins)}|${joinUnspaced(({ joins }) => joins)})[\\s*_(]*)+$`,
  'u',
)
/** The number of characters before a label that are searched for such a mark. */
const longestLead = 20

/** The only option that a list of verdicts calls right: "A: False, B: True", or a row of a table. */
export function onlyRightOne(reader: Reader): OptionFound | undefined {
  const verdicts = readVerdicts(reader)
  const right = listRight(verdicts)
  if (right.length > 0) return decide(right)
  return verdicts.size < reader.count ? undefined : { type: 'none', reason: 'the answer calls every option wrong' }
}

/** All options that a list of verdicts calls right. */
export const listRightOnes = (reader: Reader): readonly string[] => listRight(readVerdicts(reader))

const listRight = (verdicts: ReadonlyMap<number, boolean>): readonly string[] =>
  [...verdicts].filter(([, isRight]) => isRight).map(([index]) => letterAt(index))

/** Whether each option is called right; empty if fewer than two options have a verdict. */
function readVerdicts(reader: Reader): ReadonlyMap<number, boolean> {
  const verdicts = new Map<number, boolean>()
  for (const { index, start, text } of listParts(reader)) {
    const choice = reader.choices[index]
    // The text of a choice may itself be "Yes" or "False".
    const said = choice === undefined ? text : withoutChoice(text, choice.text)
    const lead =
      reader.answer
        .slice(Math.max(0, start - longestLead), start)
        .split('\n')
        .at(-1) ?? ''
    const isTicked = tick.test(said) || tickBefore.test(lead)
    const isWrong = isNegative.test(said) || (!isTicked && (cross.test(said) || crossBefore.test(lead)))
    if (!isWrong && !isPositive.test(said) && !isTicked) continue
    for (const letter of [...(joinedBefore.exec(lead)?.[0] ?? '').matchAll(/[A-Z]/g)].flat())
      verdicts.set(letter.charCodeAt(0) - 65, !isWrong)
    verdicts.set(index, !isWrong)
  }
  const fewest = reader.choices.length === 0 ? 3 : 2
  return verdicts.size < fewest ? new Map() : verdicts
}

function withoutChoice(text: string, choice: string): string {
  const at = text.toLowerCase().indexOf(choice.toLowerCase())
  return at < 0 || choice === '' || at > 8 ? text : text.slice(at + choice.length)
}

/**
 * The answer without lists of all options from A to the last one, which only repeat the question; undefined if there is
 * none. Without the texts of choices, at least three labels are a list.
 */
export function withoutList(reader: Reader): string | undefined {
  const parts = listParts(reader)
  const needed = reader.choices.length === 0 ? 3 : reader.count
  let rest = reader.answer
  let isFound = false
  for (let i = parts.length - 1; i >= 0; i--) {
    const run = parts.slice(i, i + reader.count)
    const length = run.findIndex(({ index }, at) => index !== at)
    const own = length < 0 ? run : run.slice(0, length)
    const [first, last] = [own[0], own.at(-1)]
    if (first?.index !== 0 || last === undefined || own.length < needed) continue
    isFound = true
    rest = `${rest.slice(0, first.start)}\n${rest.slice(last.end - last.text.length + choiceLength(last, reader))}`
  }
  return isFound ? rest : undefined
}

/** The length of a list's last part: that of the choice's text if it stands there, else up to the end of the sentence. */
function choiceLength({ index, text }: LabelledPart, { choices }: Reader): number {
  const choice = choices[index]
  if (choice !== undefined && comparedForm(text).startsWith(choice.form)) {
    const at = text.toLowerCase().indexOf(choice.text.toLowerCase())
    if (at >= 0) return at + choice.text.length
  }
  const [sentence = ''] = /^.*?(?:[.!?。](?=\s|$)|$)/u.exec(text) ?? []
  return sentence.length
}
