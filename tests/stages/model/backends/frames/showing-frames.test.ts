import { expect, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import type { ContentPart } from '../../../../../cache/records.js'
import { parseModelArgs } from '../../../../../stages/model/model-args.js'
import { findBackend } from '../../../../../stages/model/registry.js'
import { showingFrames } from '../../../../../stages/model/backends/frames/showing-frames.js'
import type { Model } from '../../../../../stages/model/model.js'
import { contextOf } from '../../../../support/backend-client.js'

const inner: Model = { answer: () => Promise.resolve({ body: { text: '', finishReason: 'stop' } }) }
const limits = {
  message_format: 'openai',
  ...{ max_frames: 768, min_pixels: 784, max_pixels: 151_200 },
  ...{ decode_timeout: 600, decode_memory_mb: 2048, decode_max_pixels: 36_000_000 },
} as const
const video: ContentPart = { type: 'video', media: sha256<'media'>('a video') }

/** Returns the notes caused by requests with these contents. */
async function notesOf(...contents: readonly (readonly ContentPart[])[]): Promise<readonly string[]> {
  const notes: string[] = []
  const model = await showingFrames(inner, limits, { ...contextOf({}), note: text => notes.push(text) })
  for (const content of contents) {
    const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
    await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal)
  }
  return notes
}

test('notes once, with the first video, in which form videos are sent', async () => {
  const text: ContentPart = { type: 'text', text: 'What is it?' }
  expect(await notesOf([text])).toEqual([])
  const notes = await notesOf([text], [video, text], [video])
  expect(notes).toHaveLength(1)
  expect(notes[0]).toContain('sent as whole files (video_url), and the server chooses the frames')
  expect(notes[0]).toContain('nframes=…')
})

test.each([
  ['openai', 'sent as whole files (video_url)'],
  ['azure_openai', 'sent as whole files (video_url)'],
  ['anthropic', 'this API takes no videos: docs with videos fail'],
  ['openai_responses', 'this API takes no videos: docs with videos fail'],
])('%s says in its note how whole videos are sent: %s', async (id, text) => {
  const notes: string[] = []
  const backend = await findBackend(id, [])
  const args = parseModelArgs(backend, {
    model: 'm',
    base_url: id === 'azure_openai' ? 'https://a.example/openai/v1' : 'http://127.0.0.1:9/v1',
    modalities: 'text+image+video',
    api_key: 'test-key',
  })
  const model = await backend.open(args, { ...contextOf({}), note: said => notes.push(said) })
  const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content: [video] }] }
  await model.answer({ input, generation: {}, sample: 0 }, AbortSignal.abort()).catch(() => undefined)
  expect(notes).toEqual([expect.stringContaining(text)])
  await model.close?.()
})
