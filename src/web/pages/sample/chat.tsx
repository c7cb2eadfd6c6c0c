/** Messages in their order, with their parts: text, media, tool calls, results of tools. */
import type { Box, MessageView } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { Medium } from '../../parts/media/medium.js'
import { formatLine } from '../../parts/safe-text.js'
import { SafeText } from '../../parts/text.js'

interface ChatProps {
  readonly source: Source
  readonly messages: readonly MessageView[]
  /** They belong to the first picture. */
  readonly boxes: readonly Box[]
}

/** The names of roles on the page. */
export const roleNames = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as const

/** Shows the messages of a prompt with their media. */
export function Chat({ source, messages, boxes }: ChatProps) {
  const firstPicture = messages.flatMap(({ parts }) => parts).find(({ type }) => type === 'image')
  return (
    <ol class="chat" aria-label="Messages">
      {messages.map((message, index) => (
        <li key={index} class={`message is-${message.role}`}>
          <span class="role">
            {roleNames[message.role]}
            {message.toolName !== undefined && ` ${formatLine(message.toolName, 80)}`}
            {message.isToolError === true && ' (error)'}
          </span>
          <MessageParts {...{ source, message, boxes }} picture={firstPicture} />
        </li>
      ))}
    </ol>
  )
}

interface MessagePartsProps {
  readonly source: Source
  readonly message: MessageView
  readonly boxes?: readonly Box[]
  /** The picture that the boxes belong to. */
  readonly picture?: MessageView['parts'][number] | undefined
}

/** Shows the texts, the media and the tool calls of a message. */
export function MessageParts({ source, message, boxes = [], picture }: MessagePartsProps) {
  return (
    <div class="parts">
      {message.parts.map((part, at) =>
        part.type === 'text' ? (
          <SafeText key={at} text={part.text} {...(part.length !== undefined && { length: part.length })} />
        ) : (
          <Medium key={at} source={source} part={part} boxes={part === picture ? boxes : []} />
        ),
      )}
      {message.toolCalls.map((call, at) => (
        <div key={at} class="tool-call">
          <span class="role">Calls {formatLine(call.name, 80)}</span>
          <SafeText class="code" text={call.arguments} />
        </div>
      ))}
    </div>
  )
}
