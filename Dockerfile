ARG NODE_VERSION=24.21.0
# The digest of the base image, such as @sha256:…, which docker/pin.sh determines.
ARG NODE_DIGEST=

FROM node:${NODE_VERSION}-bookworm-slim${NODE_DIGEST} AS build
WORKDIR /app
# The packages have a layer of their own, so that they are downloaded again only if the lock file changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY mappings mappings
COPY src src
COPY scripts scripts
COPY explorer explorer
COPY clients/instantsearch clients/instantsearch
COPY tools/explorer.mjs tools/pack.mjs tools/revision.mjs tools/
# The git commit of the build. It must be given, because the build context has no .git; docker/release.sh
# gives it.
ARG REVISION
RUN npm run build && npm prune --omit=dev

FROM node:${NODE_VERSION}-bookworm-slim${NODE_DIGEST}
ENV NODE_ENV=production
WORKDIR /app
COPY docker/healthcheck.mjs docker/
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# `docker run IMAGE` starts the service; `docker run --entrypoint catalogue IMAGE --help` lists the other
# commands.
RUN ["ln", "-s", "/app/dist/scripts/catalogue.js", "/usr/local/bin/catalogue"]
# The service runs as the user `node`. All files of the image belong to root, so the service can write only to
# /tmp.
USER 1000:1000
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# The check asks for liveness, because some orchestrators restart unhealthy containers, and a restart does not
# help if Elasticsearch or Redis is unavailable.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "docker/healthcheck.mjs", "/livez"]
ARG REVISION=unknown
LABEL org.opencontainers.image.revision=${REVISION}
ENTRYPOINT ["node"]
# A larger young generation of the heap is collected less often, which saves up to a tenth of the processor time.
CMD ["--min-semi-space-size=16", "--max-semi-space-size=32", "dist/src/main.js"]
