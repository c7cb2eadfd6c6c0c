/** The rounds of a conversation as a tree: turns, and below each the tool calls that it makes with their results. */
import { formatCount, formatQuantity, shortTime } from '../../../../base/text/numbers.js'
import type { MessageView } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { formatLine } from '../../parts/safe-text.js'
import { SafeText } from '../../parts/text.js'
import { MessageParts, roleNames } from './chat.js'
import { listTurns, type ToolUse, type Turn } from './turns.js'

interface TurnTreeProps {
  readonly source: Source
  readonly messages: readonly MessageView[]
}

/** Long conversations are folded, so that the answer is not far below. */
const openTurns = 12

/** Shows turns with their durations and tokens. Each part can be folded. */
export function TurnTree({ source, messages }: TurnTreeProps) {
  const turns = listTurns(messages)
  const calls = turns.reduce((sum, { tools }) => sum + tools.length, 0)
  return (
    <>
      <p class="dim">
        {formatQuantity(turns.length, 'turn')} before the answer
        {calls > 0 && `, ${formatQuantity(calls, 'tool call')}`}
      </p>
      <ol class="turn-tree" aria-label="Turns">
        {turns.map((turn, index) => (
          <li key={index}>
            <TurnDetails {...{ source, turn, number: index + 1 }} isOpen={turns.length <= openTurns} />
          </li>
        ))}
      </ol>
    </>
  )
}

interface TurnDetailsProps {
  readonly source: Source
  readonly turn: Turn
  readonly number: number
  readonly isOpen: boolean
}

function TurnDetails({ source, turn: { message, tools }, number, isOpen }: TurnDetailsProps) {
  const names = tools.map(({ call }) => call?.name ?? 'tool')
  return (
    <details open={isOpen}>
      <summary>
        {number}. {roleNames[message.role]}
        {names.length > 0 && ` calls ${formatLine(names.join(', '), 120)}`}
        <TurnFacts {...message} />
      </summary>
      <MessageParts source={source} message={{ ...message, toolCalls: [] }} />
      {tools.length > 0 && (
        <ol aria-label={`Tool calls of turn ${number}`}>
          {tools.map((use, index) => (
            <li key={index}>
              <ToolDetails source={source} use={use} />
            </li>
          ))}
        </ol>
      )}
    </details>
  )
}

function ToolDetails({ source, use: { call, result } }: { readonly source: Source; readonly use: ToolUse }) {
  return (
    <details open>
      <summary>
        Tool {formatLine(call?.name ?? result?.toolName ?? '', 80)}
        {result?.isToolError === true && <span class="bad"> error</span>}
        <TurnFacts {...(result ?? {})} />
      </summary>
      {call !== undefined && <SafeText class="code" text={call.arguments} />}
      {result === undefined ? (
        <p class="dim">The call has no result.</p>
      ) : (
        <MessageParts source={source} message={result} />
      )}
    </details>
  )
}

/** Shows the duration and the tokens of a part of a conversation, where they are known. */
export function TurnFacts({ durationMs, outputTokens }: Pick<MessageView, 'durationMs' | 'outputTokens'>) {
  const facts = [
    ...(durationMs === undefined ? [] : [shortTime(durationMs)]),
    ...(outputTokens === undefined ? [] : [`${formatCount(outputTokens)} tokens`]),
  ]
  return facts.length === 0 ? null : <span class="turn-facts dim numbers">{facts.join(' · ')}</span>
}
