import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * `vite build src/web` makes the viewer's pages; with `--mode report`, the script and the styles that a report in one HTML file holds.
 * Pages load nothing from elsewhere, and no code is made from text, so that a strict content security policy suffices.
 */
export default defineConfig(({ mode }) => ({
  root: here('.'),
  base: './',
  publicDir: mode === 'report' ? false : here('public'),
  logLevel: 'warn',
  build: {
    outDir: here(mode === 'report' ? '../../dist/web/report' : '../../dist/web/viewer'),
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would be data: addresses, which the content security policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    ...(mode === 'report' && {
      rolldownOptions: {
        input: here('report.tsx'),
        // There is only one script, so the preload helper of dynamic imports never resolves a path.
        transform: { define: { 'import.meta': '{}' } },
        output: { format: 'iife' as const, entryFileNames: 'report.js', assetFileNames: 'report[extname]' },
      },
      cssCodeSplit: false,
    }),
  },
}))
