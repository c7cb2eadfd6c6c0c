import type { JudgeCall } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { formatLine } from '../../parts/safe-text.js'
import { Answered } from './answered.js'
import { Chat } from './chat.js'
import { TurnFacts } from './turn-tree.js'

const formatVerdict = (verdict: NonNullable<JudgeCall['verdict']>): string =>
  Object.entries(verdict)
    .map(([metric, value]) => `${metric} ${JSON.stringify(value)}`)
    .join(', ')

function readFacts({ answer }: JudgeCall): Parameters<typeof TurnFacts>[0] {
  const [durationMs, outputTokens] = [answer?.durationMs, answer?.usage?.outputTokens]
  return { ...(durationMs !== undefined && { durationMs }), ...(outputTokens !== undefined && { outputTokens }) }
}

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
      <ol class="turn-tree" aria-label="Judge calls">
        {calls.map((call, index) => (
          <li key={index}>
            <details open>
              <summary>
                {formatLine(call.model, 80)}
                {call.served !== undefined && ` (the server says that ${formatLine(call.served, 80)} answered)`}
                {call.verdict && <b> {formatLine(formatVerdict(call.verdict), 200)}</b>}
                <TurnFacts {...readFacts(call)} />
              </summary>
              <ol>
                <li>
                  <details>
                    <summary>Prompt</summary>
                    <Chat source={source} messages={call.messages} boxes={[]} />
                  </details>
                </li>
              </ol>
              <Answered source={source} item={call} extracted={[]} />
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}
