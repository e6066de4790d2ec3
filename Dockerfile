ARG NODE_VERSION=24.21.0
# Such as @sha256:…: see docker/pin.sh.
ARG NODE_DIGEST=

FROM node:${NODE_VERSION}-bookworm-slim${NODE_DIGEST} AS build
WORKDIR /app
# The packages are a layer of their own: they are fetched again only when the lock file changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY mappings mappings
COPY src src
COPY scripts scripts
COPY tools/pack.mjs tools/revision.mjs tools/
# The git commit that is built: there is no .git here to ask. docker/release.sh sets it.
ARG REVISION
RUN npm run build && npm prune --omit=dev

FROM node:${NODE_VERSION}-bookworm-slim${NODE_DIGEST}
ENV NODE_ENV=production
WORKDIR /app
COPY docker/healthcheck.mjs docker/
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# As in: docker run IMAGE … is the service, docker run --entrypoint catalogue IMAGE --help its commands.
RUN ["ln", "-s", "/app/dist/scripts/catalogue.js", "/usr/local/bin/catalogue"]
# All of it belongs to root; this is the user `node`, who writes nowhere but in /tmp.
USER 1000:1000
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Liveness, since some orchestrators end what is unhealthy: an engine that is away is no reason to.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "docker/healthcheck.mjs", "/livez"]
ARG REVISION=unknown
LABEL org.opencontainers.image.revision=${REVISION}
ENTRYPOINT ["node"]
CMD ["dist/src/main.js"]
