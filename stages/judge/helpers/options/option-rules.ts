/** Patterns that find letters of options in an answer. */
import { spacedCharacter, unspacedScripts } from '../../text/word-edges.js'
import { anyJoin } from './option-denials.js'
import { foreignLetters } from './foreign-letters.js'

const before = `(?<!${spacedCharacter}|[+/^@\\\\&=<]|(?:^|\\s)[-−]|${spacedCharacter}[-_.'’])`
const after = `(?!${spacedCharacter}|['’](?![dt][iıuü]r(?!\\p{L}))\\p{L}|[+#^=/%°&]|[-*_]+${spacedCharacter}|\\.\\d)`
const opening = '[\\s(\\[{*_"\'“”‘’`$#:（【「『<]{0,8}'
const marks = '\\s()[\\]{}<>*_"\'“”‘’`$.,:;!?【】「」『』。、\\u2192\\ufe0f\\p{So}'
const or = `(?:,|/|;|\\+|\\||&|و|${anyJoin})`
/** Stands before each of several possible answers: "maybe A, maybe B". */
const maybe =
  '(?:(?:\\d{1,3}\\s?%(?:\\s+for)?|maybe|perhaps|possibly|vielleicht|peut-être|quizás?|talvez|forse|misschien|kanske|måske|kanskje|может быть|возможно)\\s+)?'

/** The patterns of letters of options up to a last one. */
export interface Rules {
  /** Only a letter: B, (b), **B**. */
  readonly alone: RegExp
  /** A letter after "the answer is". Other alphabets and, at the end of a line, lower-case letters count too. */
  readonly next: RegExp
  /** A letter after "option". */
  readonly capital: RegExp
  /** B. blue; (B); B: blue; B because */
  readonly labelled: RegExp
  /** b) blue, at the start and without a second such label */
  readonly small: RegExp
  readonly standing: RegExp
  /** B. blue ✓, as a line or as a row of a table */
  readonly ticked: RegExp
  /** B. blue, as a line */
  readonly line: RegExp
}

const cache = new Map<string, Rules>()

/** The patterns of the letters from A to `last`. */
export function rulesUpTo(last: string): Rules {
  const rules = cache.get(last) ?? rulesFor(last)
  cache.set(last, rules)
  return rules
}

function rulesFor(last: string): Rules {
  const upper = `[A-${last}]`
  const lower = `[a-${last.toLowerCase()}]`
  const foreign = `[${foreignLetters}]`
  const noList = `(?![\\s)\\]*_"'”’\`$}]*${or}\\s*[(\\[*_"'“‘\`$]*${upper}${after})`
  const noListBefore = `(?<!${before}${upper}[)\\]*_"”]*\\s*(?:${or}\\s*){1,2}${maybe}[(\\[*_"“]*)`
  const ending = `(?=[)\\].,*_"'”\`}$。]*\\s*(?:$|\\n)|[)\\]]|\\s+is\\s+(?:the\\s+)?(?:correct|right|best|answer)(?!\\p{L}))`
  const rule = (pattern: string, flags: string): RegExp => new RegExp(pattern, `du${flags}`)
  return {
    alone: rule(
      `^(?![^\\n]*(?:[✗✘❌✖]|\\[ \\]))(?:[${marks}]|[-–—#]+\\s)*(${upper}|${lower}|${foreign})[${marks}]*$`,
      '',
    ),
    next: rule(`${opening}(${upper}${after}|${foreign}${after}|${lower}${ending})${noList}`, 'y'),
    capital: rule(`${opening}(${upper}${after}|${foreign}${after}|${lower}${ending})${noList}`, 'y'),
    labelled: rule(
      `${before}(?<!\\.)${noListBefore}(${upper})(?:["”*_]*[.:)\\]】、]+["”*_]*(?=[\\s([]|$|[${unspacedScripts}])|[)\\]"*_]{0,4},?(?=\\s+(?:because|since)(?!\\p{L})))`,
      'g',
    ),
    small: rule(`^[\\s*_"'(\\[]*(${lower})[.:)\\]]+[*_"']*\\s(?![\\s\\S]*\\s[([]?${lower}[.:)\\]])`, ''),
    standing: rule(`${before}(${upper})${after}`, 'g'),
    ticked: rule(
      `^[\\s*_"'(\\[#>|-]{0,8}(${upper})(?=["*_]{0,4}[.:)\\]|\\s])[^\\n]{0,200}?[✅✓✔☑][^\\n✗✘❌✖]{0,40}$`,
      'gm',
    ),
    line: rule(`^[\\s*_"'(\\[#>]{0,8}(${upper})["*_]{0,4}[.:)\\]]+["*_]{0,4}\\s+(.{1,400})$`, ''),
  }
}
