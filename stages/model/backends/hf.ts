import { z } from 'zod'
import { affectsOutput } from '../backend-args.js'
import { defineBackend } from '../define-backend.js'
import { pythonArguments } from './python/python-arguments.js'
import { runInPython } from './python/python-model.js'

const speech = 'automatic-speech-recognition'
const tasks = ['text-generation', 'image-text-to-text', speech] as const

const shape = {
  pretrained: affectsOutput(z.string().describe('the name of a model on the Hub, or a folder'), {
    names: 'path or name',
  }),
  task: affectsOutput(z.enum(tasks).default('text-generation').describe('the kind of pipeline')),
  revision: affectsOutput(z.string().optional().describe('branch, tag or commit of a model on the Hub')),
  dtype: affectsOutput(z.string().optional().describe('the arithmetic: auto, float32, bfloat16…')),
  ...pythonArguments,
}

type Args = z.output<z.ZodObject<typeof shape>>

/** Media that each kind of pipeline takes. */
const accepted = {
  'text-generation': ['text'],
  'image-text-to-text': ['text', 'image'],
  [speech]: ['text', 'audio'],
} as const

/** A pipeline of Hugging Face `transformers`. */
export const hf = defineBackend({
  id: 'hf',
  summary: 'a pipeline of Hugging Face transformers, loaded in Python',
  args: shape,
  accepts: ['text', 'image', 'audio'],
  acceptsWith: ({ task }) => accepted[task],
  requests: ['generate_until', 'loglikelihood'],
  requestsWith: ({ task }) => (task === speech ? ['generate_until'] : ['generate_until', 'loglikelihood']),
  ...runInPython(({ pretrained, task, revision, dtype, batch_size, device, args }: Args) => {
    const identifying = {
      ...{ pretrained, task },
      ...(revision !== undefined && { revision }),
      ...(dtype !== undefined && { dtype }),
      args,
    }
    const options = { ...identifying, batch_size, device }
    return { kind: 'hf', name: `${pretrained} by transformers`, options, identifying }
  }),
})
