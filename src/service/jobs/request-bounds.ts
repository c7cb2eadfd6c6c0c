/** Bounds the form of a request before schemas look at it: their time grows with its size, and their stack with its depth. */
import { PipelineError } from '../../../base/errors/errors.js'
import { isPlainLine } from '../policy/plain-texts.js'
import { formatClientValue } from '../policy/job-policy.js'

/** Maximum nesting of lists and objects. A configuration needs about five levels. */
const deepest = 32
/** Maximum number of values, including values of inner objects. */
const mostValues = 100_000
/** Maximum number of names in one object, and maximum length of a name. */
const mostNames = 2000
const longestName = 300

/**
 * Walks through a parsed body without recursion.
 *
 * @throws PipelineError (usage) if the body is too deep or too large, or has a dangerous key such as `__proto__` or a control character
 */
export function checkBounds(body: unknown): void {
  let values = 0
  const open: (readonly [unknown, number])[] = [[body, 1]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    values += 1
    if (values > mostValues) throw makeRefusal(`more than ${mostValues} values`)
    if (typeof value !== 'object' || value === null) continue
    if (depth > deepest) throw makeRefusal(`values are nested more than ${deepest} deep`)
    if (!Array.isArray(value)) checkNames(Object.keys(value))
    for (const inner of Object.values(value)) open.push([inner, depth + 1])
  }
}

function checkNames(names: readonly string[]): void {
  if (names.length > mostNames)
    throw makeRefusal(`an object has ${names.length} names; at most ${mostNames} are accepted`)
  for (const name of names) {
    if (name.length > longestName)
      throw makeRefusal(
        `the name ${formatClientValue(name)} has ${name.length} characters; at most ${longestName} are accepted`,
      )
    if (name === '__proto__') throw makeRefusal('no value may have the name __proto__')
    if (!isPlainLine(name)) throw makeRefusal(`the name ${formatClientValue(name)} has control characters`)
  }
}

const makeRefusal = (what: string): PipelineError => new PipelineError('usage', `the request: ${what}`)
