/**
 * The limit of broadcasts: a server of `ws` without anything else. It sends each message of a connection to `/sender`
 * to all other connections.
 */
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });

server.on('connection', (socket, { url }) => {
  if (url !== '/sender') return;
  server.clients.delete(socket);
  socket.on('message', (data: Buffer) => {
    for (const client of server.clients) client.send(data, { binary: false });
  });
});

server.on('listening', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
