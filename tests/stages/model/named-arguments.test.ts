import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { affectsOutput, namedBy, transport } from '../../../stages/model/backend-args.js'
import type { AnyBackend } from '../../../stages/model/define-backend.js'
import { allBackends } from '../../../stages/model/built-in-backends.js'

const backends = await allBackends()

const named = ({ args }: AnyBackend): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(args).flatMap(([name, schema]) => {
      const thing = namedBy(schema)
      return thing === undefined ? [] : [[name, thing]]
    }),
  )

const backend = (id: string): AnyBackend => {
  const found = backends.find(one => one.id === id)
  if (found === undefined) throw new Error(`no backend ${id}`)
  return found
}

/** Words in descriptions of arguments that name an external resource. */
const outside =
  /\b(files?|folders?|paths?|address|programs?|director(y|ies)|flags|where (its output|the API|models|defaults))\b/i

/** Arguments with such a word in their description that name nothing external. */
const namesNothing = new Set(['model_version'])

/** Whether a user may give any text, as opposed to one of a few words. */
function isFreeText(schema: z.ZodType): boolean {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema
  return inner instanceof z.ZodString || (inner instanceof z.ZodArray && inner.element instanceof z.ZodString)
}

describe('arguments of built-in backends that name an external resource', () => {
  test('declare it if their description speaks of a file, folder, address or program', () => {
    const forgotten = backends.flatMap(({ id, args }) =>
      Object.entries(args)
        .filter(([name, schema]) => !namesNothing.has(name) && isFreeText(schema) && namedBy(schema) === undefined)
        .filter(([, schema]) => outside.test(schema.meta()?.description ?? ''))
        .map(([name]) => `${id}.${name}`),
    )
    expect(forgotten).toEqual([])
  })

  test('declare it if their name is that of a path, an address or a program', () => {
    const forgotten = backends.flatMap(({ id, args }) =>
      Object.entries(args)
        .filter(([name]) => /(^|_)(url|uri|host|endpoint|proxy|path|file|dir|folder|executable|command)$/.test(name))
        .filter(([, schema]) => namedBy(schema) === undefined)
        .map(([name]) => `${id}.${name}`),
    )
    expect(forgotten).toEqual([])
  })

  test.each([
    ['openai', { base_url: 'address', proxy: 'address' }],
    ['azure_openai', { base_url: 'address', proxy: 'address' }],
    ['gemini', { base_url: 'address', proxy: 'address' }],
    ['onnx_vlm', { model: 'path' }],
    ['dummy', {}],
    [
      'ollama',
      {
        base_url: 'address',
        proxy: 'address',
        executable: 'command',
        log_file: 'path',
        models_dir: 'path',
      },
    ],
    [
      'llama_cpp',
      {
        model: 'path or name',
        base_url: 'address',
        proxy: 'address',
        executable: 'command',
        engine_args: 'command',
        log_file: 'path',
        mmproj: 'path',
        chat_template_file: 'path',
        lora: 'path',
      },
    ],
    [
      'vllm',
      {
        model: 'path or name',
        base_url: 'address',
        proxy: 'address',
        executable: 'command',
        engine_args: 'command',
        log_file: 'path',
        tokenizer: 'path or name',
        chat_template: 'path or name',
        generation_config: 'path or name',
        download_dir: 'path',
      },
    ],
  ])('%s declares all of its own arguments', (id, expected) => {
    expect(named(backend(id))).toEqual(expected)
  })
})

test('a declaration survives in both wrappers, beside the description', () => {
  const schema = z.string().describe('a text')
  for (const wrapped of [affectsOutput(schema, { names: 'path' }), transport(schema, { names: 'path' })]) {
    expect(namedBy(wrapped)).toBe('path')
    expect(wrapped.meta()?.description).toBe('a text')
  }
  expect(namedBy(transport(schema))).toBeUndefined()
})

describe('startsProgram', () => {
  test.each([
    ['vllm', { model: 'm' }, {}, true],
    ['vllm', { model: 'm', base_url: 'http://127.0.0.1:8000' }, {}, false],
    ['vllm', { model: 'm' }, { VLLM_BASE_URL: 'http://127.0.0.1:8000' }, false],
    ['ollama', { model: 'm' }, {}, false],
    ['ollama', { model: 'm', launch: true }, {}, true],
  ])('%s with %j and the environment %j: %s', (id, args, env, expected) => {
    const found = backend(id)
    expect(found.startsProgram?.(z.object(found.args).parse(args), { env })).toBe(expected)
  })

  test('is absent in backends that start nothing', () => {
    expect(backend('openai')).not.toHaveProperty('startsProgram')
    expect(backend('onnx_vlm')).not.toHaveProperty('startsProgram')
  })
})
