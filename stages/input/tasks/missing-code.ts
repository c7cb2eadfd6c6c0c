import type { FunctionRef } from './function-ref.js'
import { moduleNameOf, refsIn, type LoadedModule, type TaskCode } from './task-code.js'

/**
 * The code with functions that do nothing in place of each file of which something is missing, so that the rules which name it
 * can be read all the same.
 */
export function withStubs(code: TaskCode, values: unknown, folder: string): TaskCode {
  const named = new Map<string, FunctionRef[]>()
  for (const { ref } of refsIn(values)) {
    const module = moduleNameOf(ref, folder)
    named.set(module, [...(named.get(module) ?? []), ref])
  }
  const modules = new Map(code.modules)
  for (const [module, refs] of named)
    if (refs.some(({ name }) => typeof modules.get(module)?.exports[name] !== 'function'))
      modules.set(module, stubs(refs))
  return { ...code, modules }
}

function stubs(refs: readonly FunctionRef[]): LoadedModule {
  const names = [...new Set(refs.map(({ name }) => name))]
  const source = `const stub = () => undefined\nexport { ${names.map(name => `stub as ${name}`).join(', ')} }\n`
  return { exports: {}, stored: { source }, closure: {} }
}
