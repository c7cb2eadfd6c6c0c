import { defineConfig } from 'vitest/config'

/** The file for the results as JSON, if `.ci/run` asks for one. */
const results = process.env['PIPELINE_TEST_RESULTS']

// No module keeps state that matters to a test, so the files of a process share them (`isolate: false`): loading them
// anew for each file takes half of the time.
export default defineConfig({
  test: {
    reporters: results === undefined ? ['default'] : ['default', ['json', { outputFile: results }]],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/e2e/**', 'tests/real/**'],
          isolate: false,
          // Far more than any needs: how busy the machine is decides nothing.
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
      {
        // Whole processes, killed and counted: the built program is what runs.
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/e2e/build.ts'],
          setupFiles: ['tests/e2e/said-by-processes.ts'],
          isolate: false,
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
      {
        // Servers that others made, fetched for it; asked by the program as it was last built.
        test: {
          name: 'real',
          include: ['tests/real/**/*.test.ts'],
          globalSetup: ['tests/real/fetch.ts'],
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
})
