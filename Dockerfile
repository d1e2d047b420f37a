# One image for the API, the worker and the one-off set-up: they differ in their command.
FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The base image has its Node: leaving the optional platform packages out saves some 200 MB.
RUN npm ci --omit=dev --omit=optional

FROM node:26-slim
# Inside a container the loopback address reaches nobody; the compose file publishes the port.
ENV NODE_ENV=production TZ=UTC HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY scripts scripts
COPY sql sql
COPY reference reference
COPY docs docs
COPY workers workers
COPY src src
# The files stay root's: the service can read its own code and change none of it.
USER node
EXPOSE 4300 4301
# Never through npm: its shell would keep SIGTERM to itself and leave the service running.
CMD ["node", "src/main.ts"]
