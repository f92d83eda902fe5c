# A release gives the digest as well: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim

# The bundle is the same for every platform.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY esbuild.mjs tsconfig.json ./
COPY scripts/components.ts scripts/
COPY src src
ARG SEALED_PROXY_COMMIT
RUN node esbuild.mjs

FROM ${NODE_IMAGE}
WORKDIR /app
COPY LICENSE deploy/health.sh ./
COPY --from=build /build/dist/proxy.js /build/dist/ThirdPartyNotices.txt ./
ENV NODE_ENV=production PROXY_HOST=0.0.0.0
EXPOSE 14114
USER node
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=5s CMD ["bash", "health.sh"]
# How much V8 keeps: docs/operations.md, "Sizing".
CMD ["node", "--max-semi-space-size=8", "proxy.js"]
