import { z } from 'zod'
import { affectsOutput } from '../backend-args.js'
import { defineBackend } from '../define-backend.js'
import { pythonArguments } from './python/python-arguments.js'
import { runInPython } from './python/python-model.js'

const shape = {
  class: affectsOutput(z.string().describe("the model's name in lmms-eval, such as qwen2_5_vl")),
  force_simple: affectsOutput(
    z.boolean().default(false).describe('use the form without conversations where lmms-eval has both'),
  ),
  ...pythonArguments,
}

type Args = z.output<z.ZodObject<typeof shape>>

/** A model of the installed lmms-eval, which loads it in Python. */
export const lmms = defineBackend({
  id: 'lmms',
  summary: 'a model of the installed lmms-eval, loaded in Python',
  args: shape,
  accepts: ['text', 'image', 'audio', 'video', 'file'],
  requests: ['generate_until', 'loglikelihood', 'generate_visual_cot'],
  ...runInPython(({ class: name, force_simple, batch_size, device, args }: Args) => ({
    kind: 'lmms',
    name: `${name} of lmms-eval`,
    options: { class: name, force_simple, batch_size, device, args },
    identifying: { class: name, ...(force_simple && { force_simple }), args },
  })),
})
