/** The code of a task whose docs have separate conditions. */
export const checksCode = `import type { ProcessResults, ScoringContext, Verdict } from 'pipeline'

interface Check {
  readonly type: string
  readonly value?: unknown
  readonly weight: number
}

/** pass: all conditions hold, or their weighted share reaches the doc's threshold. score: that share. */
export const score: ProcessResults = async (doc, [answer], context) => {
  const checks = doc['checks'] as unknown as readonly Check[]
  let [weights, held] = [0, 0]
  const broken: string[] = []
  for (const check of checks) {
    const holds = await checkAnswer(String(answer), check, context)
    if (typeof holds !== 'boolean') return { pass: holds, score: holds }
    weights += check.weight
    if (holds) held += check.weight
    // A condition of weight 0 only measures.
    else if (check.weight > 0) broken.push(check.value === undefined ? check.type : \`\${check.type} \${JSON.stringify(check.value)}\`)
  }
  const share = weights === 0 ? 1 : held / weights
  const threshold = doc['threshold']
  const passes = typeof threshold === 'number' ? share >= threshold : broken.length === 0
  const value = passes ? 1 : 0
  if (broken.length === 0) return { pass: value, score: share }
  return { pass: { type: 'scored', value, details: { reason: \`does not hold: \${broken.join(', ')}\` } }, score: share }
}

async function checkAnswer(text: string, { type, value }: Check, context: ScoringContext): Promise<boolean | Verdict> {
  const isNegated = type.startsWith('not-')
  const holds = await findOut(text, isNegated ? type.slice(4) : type, value, context)
  return typeof holds === 'boolean' ? isNegated !== holds : holds
}

function findOut(text: string, type: string, value: unknown, context: ScoringContext): boolean | Verdict | Promise<boolean | Verdict> {
  const [attempt] = context.attempts ?? []
  switch (type) {
    case 'latency':
      if (attempt?.seconds === undefined) return unparsed('the duration of the attempt is unknown')
      return attempt.seconds * 1000 <= Number(value)
    case 'cost':
      return attempt?.cost === undefined ? unparsed('the cost of the answer is unknown') : attempt.cost <= Number(value)
    case 'llm-rubric':
      return askJudge(text, String(value), context)
    default:
      return holdsPlain(text, type, value)
  }
}

const unparsed = (reason: string): Verdict => ({ type: 'unparsed', value: 0, reason })
const judgeFailed = (reason: string): Verdict => ({ type: 'judge_failed', reason })

async function askJudge(text: string, condition: string, { ask }: ScoringContext): Promise<boolean | Verdict> {
  const reply = await ask({
    messages: \`You grade an answer by one condition.\\n\\nCondition:\\n\${condition}\\n\\nAnswer:\\n\${text}\\n\\nDoes the answer satisfy the condition? Reply with one word: yes or no.\`,
    maxTokens: 16,
  })
  if (reply.type === 'failed') return judgeFailed(reply.reason)
  const [word] = /\\b(yes|no)\\b/i.exec(reply.text) ?? []
  return word === undefined ? judgeFailed('the judge says neither yes nor no') : word.toLowerCase() === 'yes'
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

/** The code of a task whose docs have separate messages. */
export const messagesCode = `import type { Doc } from 'pipeline'

export const messages = (doc: Doc) => doc['messages']
`
