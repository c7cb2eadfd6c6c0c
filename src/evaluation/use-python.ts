import { setPython } from '../../cache/code/python/python-runtime.js'

/** Makes tasks and models in Python run as the settings say. What is not said stays as it is. */
export function usePython({
  python,
  allowNetwork,
  pythonSeconds,
  pythonMemoryMb,
  includePaths,
}: {
  readonly python?: string | undefined
  readonly allowNetwork?: boolean | undefined
  readonly pythonSeconds?: number | undefined
  readonly pythonMemoryMb?: number | undefined
  readonly includePaths?: readonly string[]
}): void {
  setPython({
    ...(python === undefined ? {} : { python }),
    ...(allowNetwork === undefined ? {} : { allowsNetwork: allowNetwork }),
    ...(pythonSeconds === undefined ? {} : { seconds: pythonSeconds }),
    ...(pythonMemoryMb === undefined ? {} : { memory: pythonMemoryMb * 2 ** 20 }),
    ...(includePaths === undefined ? {} : { packages: includePaths }),
  })
}
