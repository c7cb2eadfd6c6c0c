import { openaiErrors, reply, sendingValues, server, stream, usage } from './canned.js'
import { combined, type CannedReply, type CorpusCase } from './cases.js'
import * as inputs from './inputs.js'

const textReply = (text: string | null, finish: string | null = 'stop', more: object = {}): readonly CannedReply[] =>
  reply({
    choices: [{ index: 0, text, finish_reason: finish }],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
    ...more,
  })
const piece = (text: string, finish: string | null = null, more: object = {}): object => ({
  choices: [{ index: 0, text, finish_reason: finish }],
  ...more,
})

const textReplies = {
  text: textReply('Paris'),
  'empty text': textReply(''),
  'stop sequence in it': textReply('yes STOP no STOP or', 'length'),
  'its limit': textReply('ye', 'length'),
  'no reason to stop': textReply('yes', null),
  'unknown reason to stop': textReply('yes', 'because'),
  'counted tokens': textReply('yes', 'stop', { usage }),
  'no usage': textReply('yes', 'stop', { usage: null }),
  filtered: textReply('a', 'content_filter'),
  'no choice': reply({ choices: [] }),
  'no text': textReply(null),
  ...openaiErrors,
}

const textStreams = {
  text: stream(piece('Pa'), piece('ris', 'stop'), { choices: [], usage }, '[DONE]'),
  'stop sequence across pieces': stream(piece('yes ST'), piece('OP no STOP'), piece('', 'length'), '[DONE]'),
  'cut off': stream(piece('ye')),
  'error amid it': stream(piece('ye'), { error: { message: 'overloaded' } }),
  'no JSON amid it': stream(piece('ye'), '{'),
  'in one piece all the same': textReply('yes'),
}

/** Cases of text completions of base models, also at an address to which the version is added. */
export const openaiCompletions = (): readonly CorpusCase[] =>
  ['{origin}/v1', '{origin}'].flatMap(address =>
    combined({
      backends: [
        {
          ...server('openai_completions', { base_url: address }),
          label: `openai_completions at ${address}`,
          values: {
            ...sendingValues,
            model: ['m-2'],
            max_gen_toks: [1, 12, 300],
            prefix_text: ['<|endoftext|>'],
          },
        },
      ],
      inputs: inputs.texts,
      refused: { ...inputs.toolInputs, ...inputs.pictures },
      generations: { ...inputs.generations, ...inputs.seeds },
      impossible: inputs.beams,
      replies: textReplies,
      streams: textStreams,
    }),
  )
