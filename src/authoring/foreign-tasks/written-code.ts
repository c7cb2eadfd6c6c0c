/** The code of a task whose docs have conditions of their own. */
export const checksCode = `import type { ProcessResults } from 'pipeline'

interface Check {
  readonly type: string
  readonly value?: unknown
  readonly weight: number
}

/** pass: all conditions hold, or their weighted share reaches the doc's threshold. score: that share. */
export const score: ProcessResults = (doc, [answer]) => {
  const checks = doc['checks'] as unknown as readonly Check[]
  const text = String(answer)
  const weights = checks.reduce((sum, { weight }) => sum + weight, 0)
  const held = checks.reduce((sum, check) => sum + (holds(text, check) ? check.weight : 0), 0)
  const share = weights === 0 ? 1 : held / weights
  const threshold = doc['threshold']
  const passes = typeof threshold === 'number' ? share >= threshold : checks.every(check => holds(text, check))
  return { pass: passes ? 1 : 0, score: share }
}

function holds(text: string, { type, value }: Check): boolean {
  const isNegated = type.startsWith('not-')
  return isNegated !== holdsPlain(text, isNegated ? type.slice(4) : type, value)
}

function holdsPlain(text: string, type: string, value: unknown): boolean {
  const isFolded = type.startsWith('i') && type !== 'is-json'
  const fold = (one: string): string => (isFolded ? one.toLowerCase() : one)
  const includes = (one: unknown): boolean => fold(text).includes(fold(String(one)))
  switch (isFolded ? type.slice(1) : type) {
    case 'equals':
      return text === String(value)
    case 'contains':
      return includes(value)
    case 'contains-any':
      return listValues(value).some(includes)
    case 'contains-all':
      return listValues(value).every(includes)
    case 'starts-with':
      return text.startsWith(String(value))
    case 'regex':
      return new RegExp(String(value)).test(text)
    case 'is-json':
      return isJson(text)
    default:
      throw new Error(\`the condition \${type} is unknown\`)
  }
}

/** A text is a list with commas between. */
const listValues = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : String(value).split(',').map(one => one.trim())

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
`

/** The code of a task whose docs have messages of their own. */
export const messagesCode = `import type { Doc } from 'pipeline'

export const messages = (doc: Doc) => doc['messages']
`
