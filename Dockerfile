FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY esbuild.mjs tsconfig.json ./
COPY src src
RUN node esbuild.mjs

FROM node:24-slim
WORKDIR /app
COPY --from=build /build/dist/proxy.js ./
ENV NODE_ENV=production PROXY_HOST=0.0.0.0
EXPOSE 14114
USER node
HEALTHCHECK --interval=30s --timeout=6s --start-period=5s CMD ["node", "proxy.js", "--health"]
CMD ["node", "proxy.js"]
