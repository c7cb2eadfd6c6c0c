import { setPython } from '../../cache/code/python/python-runtime.js'

/** Makes tasks and models in Python run as the settings say. What is not said stays as it is. */
export function usePython({
  python,
  allowNetwork,
  includePaths,
}: {
  readonly python?: string | undefined
  readonly allowNetwork?: boolean | undefined
  readonly includePaths?: readonly string[]
}): void {
  setPython({
    ...(python === undefined ? {} : { python }),
    ...(allowNetwork === undefined ? {} : { allowsNetwork: allowNetwork }),
    ...(includePaths === undefined ? {} : { packages: includePaths }),
  })
}
