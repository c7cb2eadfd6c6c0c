import { sha256, type MediaDigest } from '../../../cache/digest.js'
import type {
  ChatMessage,
  ContentPart,
  GenerationKwargs,
  Input,
  MediaPart,
  ToolDeclaration,
} from '../../../cache/records.js'

const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Files with the first bytes of their format. Nothing reads further, and the bytes are sent unchanged. */
const files = {
  png: latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR picture one'),
  jpeg: latin('\xff\xd8\xff\xe0\0\x10JFIF picture two'),
  webp: latin('RIFF\x24\0\0\0WEBPVP8 picture three'),
  gif: latin('GIF89a picture four'),
  wav: latin('RIFF\x24\0\0\0WAVEfmt sound one'),
  mp3: latin('ID3\x04\0 sound two'),
  mp4: latin('\0\0\0\x18ftypisom video one'),
  mov: latin('\0\0\0\x18ftypqt   video two'),
  pdf: latin('%PDF-1.7 document'),
} as const

/** The bytes of all media in inputs of the corpus, by digest. */
export const corpusMedia: ReadonlyMap<MediaDigest, Uint8Array> = new Map(
  Object.values(files).map(bytes => [sha256<'media'>(bytes), bytes]),
)

const shown = (type: MediaPart['type'], file: keyof typeof files, more: Partial<MediaPart> = {}): MediaPart => ({
  type,
  media: sha256<'media'>(files[file]),
  ...more,
})
const said = (text: string): ContentPart => ({ type: 'text', text })
const turn = (role: ChatMessage['role'], ...content: readonly ContentPart[]): ChatMessage => ({ role, content })
const asking = (messages: readonly ChatMessage[], tools?: readonly ToolDeclaration[]): Input => ({
  type: 'generate_until',
  messages,
  ...(tools === undefined ? {} : { tools }),
})
const user = (...content: readonly ContentPart[]): Input => asking([turn('user', ...content)])

const tools: readonly ToolDeclaration[] = [
  {
    name: 'look',
    description: 'Looks at a place.',
    parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
  },
  { name: 'count' },
]

/** A conversation with tool calls. The first result is an image, and the second call failed. */
const called: readonly ChatMessage[] = [
  turn('user', said('How many are there?')),
  {
    role: 'assistant',
    content: [said('Let me see.')],
    toolCalls: [
      { id: 'call_1', name: 'look', arguments: '{"at":"Paris"}' },
      { id: 'call_2', name: 'count', arguments: 'not JSON' },
    ],
  },
  {
    role: 'tool',
    toolCallId: 'call_1',
    toolName: 'look',
    content: [said('A square'), shown('image', 'png')],
  },
  { role: 'tool', toolCallId: 'call_2', toolName: 'count', content: [said('No such thing')], isToolError: true },
]

/** Texts and conversations without media. */
export const texts: Readonly<Record<string, Input>> = {
  text: user(said('What is it?')),
  'text with all kinds of characters': user(said('“naïve” \\ / \u2028 \t\n </s> 日本 😀 {"a": 1}')),
  'system and turns': asking([
    turn('system', said('Answer briefly.')),
    turn('user', said('One?')),
    turn('assistant', said('1')),
    turn('user', said('Two?')),
  ]),
  'several texts': user(said('First.'), said(' Second.')),
  'empty text': user(said('')),
  'begun answer': asking([turn('user', said('Count.')), turn('assistant', said('One, two,'))]),
}

export const toolInputs: Readonly<Record<string, Input>> = {
  'declared tools': asking([turn('user', said('Look.'))], tools),
  'called tools': asking(called, tools),
}

export const pictures: Readonly<Record<string, Input>> = {
  'picture, then text': user(shown('image', 'png'), said('What is it?')),
  'text between pictures': user(said('A:'), shown('image', 'jpeg'), said('B:'), shown('image', 'png')),
  'pictures with addresses': user(
    shown('image', 'webp', { url: 'https://example.org/a b"c.webp' }),
    shown('image', 'png'),
    said('Same?'),
  ),
}

export const sounds: Readonly<Record<string, Input>> = {
  'sound (WAV)': user(shown('audio', 'wav'), said('What is said?')),
  'sound (MP3)': user(said('What is said?'), shown('audio', 'mp3')),
}

export const videos: Readonly<Record<string, Input>> = {
  video: user(shown('video', 'mp4'), said('What happens?')),
  'video with an address, cut': user(
    shown('video', 'mov', { url: 'https://example.org/v.mov', derive: { start: 0.51, end: 2.49 } }),
    said('What happens?'),
  ),
}

export const documents: Readonly<Record<string, Input>> = {
  document: user(shown('file', 'pdf', { url: 'https://example.org/d.pdf' }), said('What is it about?')),
}

/** One scored continuation, or a whole text. */
export const scored = (context: string, continuation: string): Input => ({
  type: 'loglikelihood',
  messages: context === '' ? [] : [turn('user', said(context))],
  continuation,
})
export const rolling = (text: string): Input => ({
  type: 'loglikelihood_rolling',
  messages: [],
  continuation: text,
})
export const scoredConversation = (continuation: string): Input => ({
  type: 'loglikelihood',
  messages: [turn('system', said('Be brief.')), turn('user', said('What color is the sky?'))],
  continuation,
})

/** Generation kwargs that cover every kwarg with a meaning of its own. */
export const generations: Readonly<Record<string, GenerationKwargs>> = {
  plain: {},
  'tokens and stops': { max_new_tokens: 16, until: ['STOP', '\n\n'] },
  sampled: { temperature: 0.7, top_p: 0.9, do_sample: true, max_new_tokens: 32 },
  'many stops': { until: ['a', 'b', 'c', 'd', 'e', 'f'], max_new_tokens: 8 },
  'four stops': { until: ['a', 'b', 'c', 'd'], max_new_tokens: 8 },
  'five stops': { until: ['a', 'b', 'c', 'd', 'e'], max_new_tokens: 8 },
  'defaults in words': { temperature: 0, top_p: 1, do_sample: false, num_beams: 1, repetition_penalty: 1, until: [] },
  'other kwargs': { presence_penalty: 0.5, top_k: 5, image_aspect_ratio: 'pad', use_cache: true },
  'temperature 1': { temperature: 1, top_p: 0.5, max_new_tokens: 4096 },
  'blank stop': { until: [' ', '\n'], temperature: 0 },
}

/** Beam search, which no API has. */
export const beams: Readonly<Record<string, GenerationKwargs>> = { beams: { num_beams: 4 } }

/** A seed, which not every API accepts. */
export const seeds: Readonly<Record<string, GenerationKwargs>> = {
  seed: { seed: 7, temperature: 1 },
  'seed at temperature 0': { seed: 0, max_new_tokens: 5 },
}
