// The server with TLS, spoken to with plain OpenSSL: versions, resumption, and those who do not speak it at all.
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>

#include "base/ids.hpp"
#include "net/server.hpp"
#include "tests/unit/net/raw_client.hpp"

namespace sickbay::net {
namespace {

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* it) const {
    Free(it);
  }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Freer<Free>>;

// A self-signed certificate for 127.0.0.1 and its key, as PEM files of a directory of their own.
class Certificate {
 public:
  Certificate() : directory_(std::filesystem::temp_directory_path() / ("sickbay-tls-" + random_uuid())) {
    std::filesystem::create_directory(directory_);
    const Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
    const Owned<X509, X509_free> cert(X509_new());
    ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
    X509_set_pubkey(cert.get(), key.get());
    X509_NAME* name = X509_get_subject_name(cert.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1,
                               0);
    X509_set_issuer_name(cert.get(), name);
    X509_sign(cert.get(), key.get(), EVP_sha256());
    const Owned<FILE, fclose> key_out(std::fopen(key_file().c_str(), "w")), cert_out(std::fopen(file().c_str(), "w"));
    PEM_write_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    PEM_write_X509(cert_out.get(), cert.get());
  }
  ~Certificate() { std::filesystem::remove_all(directory_); }
  std::string file() const { return directory_ / "cert.pem"; }
  std::string key_file() const { return directory_ / "key.pem"; }

 private:
  std::filesystem::path directory_;
};

class TlsTest : public testing::Test {
 protected:
  TlsTest() : context_(SSL_CTX_new(TLS_client_method())) {
    ServerOptions options;
    options.workers = 1;
    options.header_timeout = milliseconds{300};
    options.tls_certificate = certificate_.file();
    options.tls_key = certificate_.key_file();
    server_ = std::move(Server::start(options, [](const Request& request) {
                          Response response;
                          response.body = "hello " + request.target;
                          return response;
                        }).value());
    SSL_CTX_load_verify_locations(context_.get(), certificate_.file().c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }

  // One request on a connection of its own; what came back, "" where the handshake failed.
  std::string ask(SSL_SESSION* session, Owned<SSL_SESSION, SSL_SESSION_free>* kept, bool* resumed) {
    const Owned<BIO, BIO_free_all> bio(BIO_new_ssl_connect(context_.get()));
    SSL* ssl = nullptr;
    BIO_get_ssl(bio.get(), &ssl);
    BIO_set_conn_hostname(bio.get(), ("127.0.0.1:" + std::to_string(server_->port())).c_str());
    if (session) SSL_set_session(ssl, session);
    if (BIO_do_connect(bio.get()) <= 0) return {};
    const std::string request = raw_request("GET", "/x", "", "Connection: close\r\n");
    BIO_write(bio.get(), request.data(), static_cast<int>(request.size()));
    std::string answer;
    char buffer[4096];
    for (int got; (got = BIO_read(bio.get(), buffer, sizeof buffer)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(got));
    if (kept) kept->reset(SSL_get1_session(ssl));
    if (resumed) *resumed = SSL_session_reused(ssl) == 1;
    return answer;
  }

  Certificate certificate_;
  std::unique_ptr<Server> server_;
  Owned<SSL_CTX, SSL_CTX_free> context_;
};

TEST_F(TlsTest, AnswersOverTls) {
  EXPECT_NE(ask(nullptr, nullptr, nullptr).find("hello /x"), std::string::npos);
}

TEST_F(TlsTest, ASessionIsResumedWithItsTicket) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    SSL_CTX_set_max_proto_version(context_.get(), version);
    Owned<SSL_SESSION, SSL_SESSION_free> session;
    bool resumed = true;
    ASSERT_NE(ask(nullptr, &session, &resumed), "");
    EXPECT_FALSE(resumed);
    ASSERT_NE(ask(session.get(), nullptr, &resumed), "");
    EXPECT_TRUE(resumed) << version;
  }
}

TEST_F(TlsTest, OldVersionsAreNotSpoken) {
  SSL_CTX_set_security_level(context_.get(), 0);
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context_.get(), TLS1_1_VERSION);
  EXPECT_EQ(ask(nullptr, nullptr, nullptr), "");
}

TEST_F(TlsTest, PlainHttpAndSilenceAreClosed) {
  RawClient plain(server_->port());
  plain.send(raw_request("GET", "/"));
  EXPECT_EQ(plain.answer().status, 0);
  EXPECT_TRUE(plain.closed());
  RawClient silent(server_->port());
  EXPECT_TRUE(silent.closed());
  EXPECT_NE(ask(nullptr, nullptr, nullptr), "");  // others are served meanwhile
}

}  // namespace
}  // namespace sickbay::net
