import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import type { JudgePrompt } from '../define/judge-model.js'

type Role = 'system' | 'user' | 'assistant'
const roles: readonly unknown[] = ['system', 'user', 'assistant'] satisfies readonly Role[]

/**
 * Reads a request to a judge model in the form of the chat completions API.
 *
 * @throws Error if it shows media, which prompts for the judge cannot have
 */
export function judgePrompt(request: Json): JudgePrompt {
  const { messages, temperature, max_tokens: maxTokens } = isObject(request) ? (request as Record<string, Json>) : {}
  if (!isList(messages ?? null)) throw new Error('the request to the judge model has no messages')
  return {
    messages: (messages as readonly Json[]).map(message => {
      const { role, content } = isObject(message) ? (message as Record<string, Json>) : {}
      return { role: roles.includes(role) ? (role as Role) : 'user', text: textOf(content ?? '') }
    }),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof maxTokens === 'number' && maxTokens > 0 ? { maxTokens } : {}),
  }
}

function textOf(content: Json): string {
  if (typeof content === 'string') return content
  if (!isList(content)) return ''
  return content
    .map(part => {
      const { type, text } = isObject(part) ? (part as Record<string, Json>) : {}
      if (type === 'text' && typeof text === 'string') return text
      throw new Error(
        `the task shows the judge model a part of type ${JSON.stringify(type ?? null)}; only texts can be sent`,
      )
    })
    .join('\n')
}
