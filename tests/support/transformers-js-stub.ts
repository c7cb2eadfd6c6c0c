import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A stand-in for the optional package `@huggingface/transformers`, which has a version and no code, and a model's folder. */
export interface TransformersJsStub {
  /** A folder in the layout of the library, with networks of two number formats and no weights. */
  readonly model: string
  /** Lets Node find the stand-in. */
  install(): void
  /** Lets Node find what it found before, and removes the files. */
  remove(): void
}

export function makeTransformersJsStub(): TransformersJsStub {
  const root = mkdtempSync(join(tmpdir(), 'transformers-js-stub-'))
  const library = join(root, 'modules/@huggingface/transformers')
  mkdirSync(library, { recursive: true })
  writeFileSync(join(library, 'package.json'), JSON.stringify({ version: '4.0.0', main: 'index.js' }))
  writeFileSync(join(library, 'index.js'), '')
  const model = join(root, 'model')
  mkdirSync(join(model, 'onnx'), { recursive: true })
  writeFileSync(join(model, 'config.json'), JSON.stringify({ model_type: 'whisper' }))
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) writeFileSync(join(model, file), '{}')
  for (const file of ['encoder_model.onnx', 'encoder_model_quantized.onnx'])
    writeFileSync(join(model, 'onnx', file), '')
  const before = process.env['NODE_PATH']
  const search = (path: string | undefined): void => {
    if (path === undefined) delete process.env['NODE_PATH']
    else process.env['NODE_PATH'] = path
    // Node reads the variable when it starts, and whenever this is called.
    ;(Module as unknown as { _initPaths(): void })._initPaths()
  }
  return {
    model,
    install: () => search(join(root, 'modules')),
    remove() {
      search(before)
      rmSync(root, { recursive: true, force: true })
    },
  }
}
