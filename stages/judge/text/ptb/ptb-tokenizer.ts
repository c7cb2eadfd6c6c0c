import { automaton, type Automaton, type Match } from './automaton.js'
import { isLater } from './shapes.js'
import { readPattern } from './automaton.js'
import { rules, type Rule } from './rules.js'

/**
 * The tokens of one line by the rules of the Penn Treebank, in lower case. `it's` is two tokens, brackets and
 * quotes get names, and unknown characters are dropped. Line breaks count as spaces.
 *
 * `after` is the text after the line: a line break, and possibly more. It can change the last token. `A.` keeps its
 * period, but not before a line that begins with `The`. An empty `after` changes a final `'re`.
 *
 * Source: `edu.stanford.nlp.process.PTBTokenizer -preserveLines -lowerCase` of Stanford CoreNLP 3.4.1.
 */
export function ptbTokens(line: string, after = '\n'): readonly string[] {
  const text = line.replace(/[\r\n\v\f\u2028\u2029]/g, ' ') + after
  const { all, parts } = lexer()
  const search = all.search(text)
  const tokens: string[] = []
  for (let at = 0; at < line.length;) {
    const { token, length, isNewline } = tokenAt(text, at, { found: search(at), parts })
    if (isNewline === true) break
    if (token !== undefined) tokens.push(inSmallLetters(token))
    at += length
  }
  return tokens
}

/** Matches a run in which a final sigma is looked for. Ideographs and kana separate runs. */
const run = /(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[-.\p{L}\p{N}\p{M}_\u00ad])+/gu
const cased = /[\p{Lu}\p{Ll}\p{Lt}]/gu

/**
 * Converts to lower case like Java. A sigma is final if it is the last cased letter of its run and not the only
 * one.
 */
const inSmallLetters = (token: string): string =>
  (token.includes('Σ') ? token.replace(run, withFinalSigma).replaceAll('Σ', 'σ') : token).toLowerCase()

function withFinalSigma(part: string): string {
  const letters = [...part.matchAll(cased)]
  const last = letters.at(-1)
  return last?.[0] === 'Σ' && letters.length > 1 ? `${part.slice(0, last.index)}ς${part.slice(last.index + 1)}` : part
}

interface Lexer {
  readonly all: Automaton
  /** By rule number; undefined for rules that do not require a following text. */
  readonly parts: readonly ({ readonly match: Automaton; readonly before: Automaton } | undefined)[]
}

let cachedLexer: Lexer | undefined

/** The lexer, built on first use, since few runs have captions. */
const lexer = (): Lexer => (cachedLexer ??= makeLexer(rules))

function makeLexer(from: readonly Rule[]): Lexer {
  const build = (sources: readonly string[]): Automaton => automaton(sources.map(readPattern), isLater)
  return {
    all: build(from.map(({ match, before }) => (before === undefined ? match : `(${match})(${before})`))),
    parts: from.map(({ match, before }) =>
      before === undefined ? undefined : { match: build([match]), before: build([before]) },
    ),
  }
}

function tokenAt(
  text: string,
  start: number,
  { found, parts }: { readonly found: Match | undefined; readonly parts: Lexer['parts'] },
): { token?: string; length: number; isNewline?: boolean } {
  const rule = found && rules[found.pattern]
  if (found === undefined || rule === undefined) throw new Error(`internal error: no rule at ${start} of ${text}`)
  const part = parts[found.pattern]
  const end = part === undefined ? found.end : splitAt(text, { start, end: found.end }, part)
  const matched = text.slice(start, end)
  return { length: matched.length, ...rule.emit(matched) }
}

/** The position where the match ends and the required following text begins; the last one if there are several. */
function splitAt(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  { match, before }: { readonly match: Automaton; readonly before: Automaton },
): number {
  const index = match.ends(text, start, end).findLast(at => before.ends(text, at, end).includes(end))
  if (index === undefined) throw new Error(`internal error: no end of the match at ${start} of ${text}`)
  return index
}
