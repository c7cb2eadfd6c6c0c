import { expect, test } from 'vitest'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { ChatMessage } from '../../../../cache/records.js'
import { readNextQuestion } from '../../../../stages/input/rounds/lead-rounds.js'
import type { RoundState } from '../../../../stages/input/tasks/doc.js'

const picture = { type: 'image', media: `sha256:${'a'.repeat(64)}` as MediaDigest } as const
const other = { type: 'image', media: `sha256:${'b'.repeat(64)}` as MediaDigest } as const
const asked: ChatMessage = { role: 'user', content: [picture, { type: 'text', text: 'a' }] }
const answered: ChatMessage = { role: 'assistant', content: [{ type: 'text', text: 'b' }], turn: { signed: true } }
const state: RoundState = { round: 1, outputs: ['b'], info: { n: 1 }, messages: [asked, answered] }
const before = { outputs: ['b'], info: { n: 1 } }

const next = (
  said: unknown,
  type: 'generate_until_multi_round' | 'generate_until_agentic' = 'generate_until_multi_round',
) => readNextQuestion(said, state, type)

const medium = (source: object) => ({ type: 'medium', source })
const text = (said: string) => ({ type: 'text', text: said })

test('returning nothing or terminal ends the conversation', () => {
  expect(next(undefined)).toEqual({ messages: null, ...before })
  expect(next(null)).toEqual({ messages: null, ...before })
  expect(next({ terminal: true, text: 'c', outputs: ['x'], info: null })).toEqual({
    messages: null,
    outputs: ['x'],
    info: null,
  })
})

test('sends a text alone, or to an agent after what it was shown before', () => {
  expect(next('c')).toEqual({ messages: [{ role: 'user', content: [text('c')] }], ...before })
  expect(next({ text: 'c' })).toEqual(next('c'))
  const shown = [{ role: 'user', content: [medium(picture), text('c')] }]
  expect(next('c', 'generate_until_agentic')).toEqual({ messages: shown, ...before })
  expect(next({ text: 'c' }, 'generate_until_agentic')).toEqual({ messages: shown, ...before })
  expect(next({ text: 'c', visuals: [] }, 'generate_until_agentic').messages).toEqual([
    { role: 'user', content: [text('c')] },
  ])
})

test("sends media before the text, whether they are the doc's or new", () => {
  expect(next({ text: 'c', visuals: [picture, 'd.png'], info: undefined })).toEqual({
    messages: [{ role: 'user', content: [medium(picture), { type: 'medium', source: 'd.png' }, text('c')] }],
    outputs: ['b'],
  })
})

test('appends new messages and keeps the earlier ones unchanged', () => {
  const fresh = { role: 'user', content: [{ type: 'image', image: other }, 'c'] }
  const said = [asked, answered, { role: 'user', content: [medium(other), text('c')] }]
  expect(next([...state.messages, fresh]).messages).toEqual(said)
  expect(next({ messages: [...state.messages, fresh] }).messages).toEqual(said)
  expect(next([...state.messages, fresh]).messages?.[1]).toBe(answered)
})

test.each<[unknown, RegExp]>([
  [{}, /neither text nor messages/],
  [{ text: 5 }, /neither text nor messages/],
  [5, /must give a text, messages or an object, not a number/],
  [{ txt: 'c' }, /"txt", which means nothing\. Did you mean "text"/],
  [{ text: 'c', outputs: 'x' }, /outputs must be a list of texts/],
  [{ text: 'c', info: () => 1 }, /info must be JSON/],
  [{ text: 'c', visuals: 5 }, /expected media/],
  [{ messages: 'c' }, /messages must be a list/],
  [[{ role: 'tool', content: 'c' }], /role must be system, user or assistant/],
])('rejects %j with the reason', (said, message) => {
  expect(() => next(said)).toThrow(message)
})
