import { isAlias, isNode, visit, type Document } from 'yaml'
import { messageOf } from '../errors/errors.js'

/** Thrown if the values of a YAML document cannot be read. `offset` is the position in its text. */
export class YamlValueError extends Error {
  override readonly name = 'YamlValueError'
  readonly offset: number

  constructor(message: string, offset: number, options?: ErrorOptions) {
    super(message, options)
    this.offset = offset
  }
}

/**
 * Calls `read`, and reports too deep nesting with its position.
 *
 * @throws YamlValueError
 */
export function withinDepth<T>(text: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(text, error)
    throw error
  }
}

/** Finds nesting that is too deep among the parser's errors. @throws YamlValueError */
export function refuseDepth({ errors }: Document, text: string): void {
  const deep = errors.find(({ message }) => message.includes('call stack'))
  if (deep !== undefined) throw tooDeep(text, deep)
}

function tooDeep(text: string, cause: Error): YamlValueError {
  const { depth, offset } = deepest(text)
  const how = depth > 1 ? `${depth.toLocaleString('en')} lists or maps within each other` : 'lists or maps'
  return new YamlValueError(`nested too deep: ${how} can't be read. Write it flatter`, offset, { cause })
}

/** Finds the position of the deepest nesting by its brackets. */
function deepest(text: string): { readonly depth: number; readonly offset: number } {
  let best = { depth: 0, offset: 0 }
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1)
    else continue
    if (depth > best.depth) best = { depth, offset: at }
  }
  return best
}

/** Maximum number of aliases. It is enough for hand-written files, and stops exponential expansion of nested aliases. */
export const mostAliases = 100_000

/**
 * Returns the values of a document that was parsed without errors.
 *
 * @throws YamlValueError if an alias is within its own anchor, or nested aliases expand to more than memory holds.
 */
export function yamlValues(document: Document, text: string): unknown {
  refuseCircles(document)
  return withinDepth(text, () => {
    try {
      return document.toJS({ maxAliasCount: mostAliases }) as unknown
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error
      const isMany = error.message.startsWith('Excessive alias count')
      throw new YamlValueError(
        isMany
          ? 'aliases of aliases make more values of this than can be held. Write out fewer of them'
          : messageOf(error),
        firstAlias(document),
        { cause: error },
      )
    }
  })
}

/** Rejects an alias within its own anchor, because its value would be infinite, and an alias of nothing, which is a text without quotes as a rule. */
export function refuseCircles(document: Document): void {
  visit(document, {
    Alias(_, alias, path) {
      const target = alias.resolve(document)
      if (target === undefined)
        throw new YamlValueError(
          `*${alias.source}: a text that begins with * needs quotes (without them it stands for a value named &${alias.source}, and there is none)`,
          alias.range?.[0] ?? 0,
        )
      if (!path.includes(target)) return
      throw new YamlValueError(
        `*${alias.source}: this alias stands within what it names (&${alias.source}), which would have no end`,
        alias.range?.[0] ?? 0,
      )
    },
  })
}

function firstAlias(document: Document): number {
  let offset = 0
  visit(document, {
    Node(_, node) {
      if (!isNode(node) || !isAlias(node)) return undefined
      offset = node.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}
