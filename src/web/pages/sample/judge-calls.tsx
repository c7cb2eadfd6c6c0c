import type { JudgeCall } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { formatLine } from '../../parts/safe-text.js'
import { Answered } from './answered.js'
import { Chat } from './chat.js'

const formatVerdict = (verdict: NonNullable<JudgeCall['verdict']>): string =>
  Object.entries(verdict)
    .map(([metric, value]) => `${metric} ${JSON.stringify(value)}`)
    .join(', ')

interface JudgeCallsProps {
  readonly source: Source
  readonly calls: readonly JudgeCall[]
}

/** Shows the requests to judge models about the answer, and their verdicts. */
export function JudgeCalls({ source, calls }: JudgeCallsProps) {
  if (calls.length === 0) return null
  return (
    <section aria-label="Judge model">
      <h2>Judge model</h2>
      {calls.map((call, index) => (
        <div key={index} class="judge-call">
          <details>
            <summary>
              Prompt to {formatLine(call.model, 80)}
              {call.served !== undefined && ` (the server says that ${formatLine(call.served, 80)} answered)`}
            </summary>
            <Chat source={source} messages={call.messages} boxes={[]} />
          </details>
          <h3>Verdict{call.verdict && `: ${formatLine(formatVerdict(call.verdict), 200)}`}</h3>
          <Answered item={call} extracted={[]} />
        </div>
      ))}
    </section>
  )
}
