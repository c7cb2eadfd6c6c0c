import { expect, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import type { ContentPart } from '../../../../../cache/records.js'
import { showingFrames } from '../../../../../stages/model/backends/frames/showing-frames.js'
import type { Model } from '../../../../../stages/model/model.js'
import { contextOf } from '../../../../support/backend-client.js'

const inner: Model = { answer: () => Promise.resolve({ body: { text: '', finishReason: 'stop' } }) }
const limits = { message_format: 'openai', max_frames: 768, min_pixels: 784, max_pixels: 151_200 } as const
const video: ContentPart = { type: 'video', media: sha256<'media'>('a video') }

/** The notes that requests with these contents bring. */
async function notesOf(...contents: readonly (readonly ContentPart[])[]): Promise<readonly string[]> {
  const notes: string[] = []
  const model = await showingFrames(inner, limits, { ...contextOf({}), note: text => notes.push(text) })
  for (const content of contents) {
    const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
    await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal)
  }
  return notes
}

test('what is sent of videos is said once, with the first of them', async () => {
  const text: ContentPart = { type: 'text', text: 'What is it?' }
  expect(await notesOf([text])).toEqual([])
  const notes = await notesOf([text], [video, text], [video])
  expect(notes).toHaveLength(1)
  expect(notes[0]).toContain('sent as whole files (video_url), and the server chooses the frames')
  expect(notes[0]).toContain('nframes=…')
})
