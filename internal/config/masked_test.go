package config_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// aKey is long enough, and looks like nothing else.
const aKey = "9fQ2xT7vLp4Zr8Wk"

// secretVariables are masked by their value, or by their name where the value is plain.
var secretVariables = map[string]string{
	"MYSQL_PWD": "correct-horse", "DB_PASS": "hunter-22", "DBPASS": "hunter-22-hunter", "GITHUB_PAT": "github_pat_11ABCDEFG0" + aKey, "AUTHORIZATION": "Bearer " + aKey,
	"JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.SflKxwRJSMeKKF2QT4fwpM", "PASSPHRASE": "correct horse battery staple", "GOOGLE_CREDENTIALS": `{"type": "service_account", "private_key": "line-one-of-a-key\nline-two"}`,
	"API_KEYS": "first-key,second-key", "SECRET_1": "plain-words", "SECRET_2": "db.example.com", "SECRET_3": "20240131", "GITHUB_TOKEN": "ghp_" + aKey, "SLACK_TOKEN": "xoxb-12345-67890-" + aKey,
	"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SESSION_TOKEN": "FwoGZXIvYXdzE" + aKey, "OPENAI_API_KEY": "sk-proj-" + aKey,
	"ANTHROPIC": "sk-ant-api03-" + aKey, "STRIPE": "sk_live_" + aKey, "SENDGRID": "SG." + aKey + "." + aKey, "TELEGRAM": "123456789:AAH" + aKey, "DISCORD": "MTk4NjIyNDgzNDcx.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
	"TWILIO_SID": "AC0123456789abcdef0123456789abcdef", "NPM": "npm_" + aKey, "HEROKU": "01234567-89ab-4def-8123-456789abcdef", "SENTRY_DSN": "https://0123456789abcdef@o1.ingest.sentry.io/42",
	"DATABASE_URL": "postgres://ann:hunter-two-two@db.example.com:5432/orders", "REDIS_URL": "redis://:hunter-two-two@cache.example.com:6379/0", "MONGO": "mongodb+srv://ann:hunter-two-two@cluster.example.net/?w=majority",
	"JDBC": "jdbc:postgresql://db.example.com/orders?user=ann&password=hunter-two-two", "DSN": "host=db.example.com user=ann password=hunter-two-two", "ODBC": "Server=db.example.com;User Id=sa;Password=hunter-two-two;",
	"MYSQL_DSN": "ann:hunter-two-two@tcp(db.example.com:3306)/orders", "BASIC_AUTH": "ann:hunter-two-two", "SLACK_WEBHOOK": "https://hooks.slack.com/services/T00000000/B00000000/" + aKey, "RAW_URL": "postgres://ann:hunter#two%two@db.example.com/x",
	"HOOK": "https://discord.com/api/webhooks/123456789012345678/" + aKey, "SIGNED": "https://files.example.com/orders?sig=" + aKey, "ZAPIER": "https://mcp.zapier.com/api/mcp/s/" + aKey + "/mcp", "AZURE": "redis.example.com:6380,password=" + aKey + "=,ssl=True",
	"ADMIN_PASSWORD": "lower-case-words", "ROOT_PASSWD": "root-password", "SMTP_PASSWORD_2": "12345678", "PGPASSWORD": "postgres-orders", "SSHPASS": "Tr0ub4dor&3", "SSH_PRIVATE_KEY": "-----BEGIN KEY-----\nbGluZSBvbmUgb2YgYSBrZXkg\n-----END KEY-----",
	"ENCRYPTION_KEY": "0123456789abcdef0123456789abcdef", "HMAC": "deadbeefdeadbeefdeadbeef", "SALT": "a1b2c3d4e5f6", "TOTP": "JBSWY3DPEHPK3PXP", "OTP": "12345678", "PIN": "12345678", "USER_PIN": "20240131", "COOKIE": "session=" + aKey, "SESSION": "s%3A" + aKey,
	"MNEMONIC": "legal winner thank year wave sausage worth useful", "CLIENT_SECRET": "client-secret", "clientSecret2": "other-words", "refreshToken": "refresh-words", "SIGNING_KEY": "signing-words", "apikey": "api-words", "VAULT": "hvs." + aKey, "DOPPLER": "dp.st.dev." + aKey,
	"GITLAB": "glpat-" + aKey, "LINEAR": "lin_api_" + aKey, "NOTION": "ntn_" + aKey, "FIGMA": "figd_" + aKey, "ZOHO": "1000.8cb99d4c5a6fb2ba4b8e7d0c9a1f2e3d.5a6fb2ba4b8e7d0c", "ZONE": "abcDEF123456", "PATTERN": "x7Gq-2Lm9-Pw4z", "COMPASS": "North&South99",
	"AUTHOR": "an0nymous_token_1", "MONKEY": "Banana!Banana", "NAME": "Zq8#long-and-odd", "CREDS": "user-and-words", "AUTH": "auth-words", "X_AUTH_2": "auth-words-too", "DB_PW": "words-again", "MY_PATS": "pat-one-two", "CREDENTIAL": "credential-words", "BEARER": "bearer-words",
	"LONG_WORDS": "correct-horse-battery-staple-lamp", "FOUR_DIGITS": "hunter-2024", "INSIDE_DIGITS": "hunter22-words", "NO_SUCH_PATH": "/no/such/path-" + aKey, "UPPER": "CORRECTHORSE",
}

// plainVariables are shown: they are in many texts.
var plainVariables = map[string]string{
	"AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "ap-southeast-2", "GCP_REGION": "europe-west1", "GCP_ZONE": "us-central1-a", "AZURE_REGION": "westeurope", "GOV": "us-gov-west-1", "AVAILABILITY_ZONE": "eu-central-1b", "CLOUDSDK_ZONE": "northamerica-northeast1-a",
	"HOST": "localhost", "HOSTNAME": "web-server-12", "DB_HOST": "db.internal.example.com", "DB_ADDR": "db.example.com:5432", "REDIS_HOST": "redis-primary:6379", "BIND": "127.0.0.1:8080", "IP": "192.168.100.17", "IP6": "2001:db8::8a2e:370:7334", "CIDR": "10.0.0.0/16",
	"ALLOWED_HOSTS": "api.example.com,www.example.com", "NO_PROXY": "localhost,127.0.0.1,.internal", "CORS_ORIGINS": "https://a.example.com,https://b.example.com", "AUTH0_DOMAIN": "tenant-one.eu.auth0.com", "EC2": "ip-10-0-1-23.ec2.internal", "ACCOUNT": "snowflake-account",
	"EMAIL": "ann@example.com", "AUTHOR_EMAIL": "Ann.Smith+git@Example.com", "GIT_AUTHOR_NAME": "ann-smith", "AUTHOR": "bob-jones", "NODE_ENV": "production", "RAILS_ENV": "development", "APP_ENV": "staging-2", "LOG_LEVEL": "warning-level", "DEBUG_MODE": "disabled",
	"PATTERN": "weekly-report", "COMPAT": "legacy-mode", "COMPASS": "north-east", "BYPASS": "never-bypass", "KEYBOARD": "german-layout", "MONKEY": "capuchin", "KEYSPACE": "orders-keyspace", "AUTHORITY": "login.example.com", "PATIENT": "patient-one", "PASSENGER": "passenger-app",
	"PORT": "65535", "TIMEOUT_MS": "120000000", "AWS_ACCOUNT_ID": "123456789012", "TELEPHONE": "+4930123456", "RATIO": "0.3333333", "MAX_SIZE": "1073741824", "BUILD": "20240131", "NEGATIVE": "-12345678",
	"DATABASE": "orders-production", "DB_NAME": "customers", "CLUSTER": "prod-cluster-eu-1", "BUCKET": "acme-invoices-2", "QUEUE": "orders-dead-letter", "TEAM": "platform-team", "PROJECT_ID": "my-project-123", "NAMESPACE": "kube-system", "INDEX": "orders-index-007", "TENANT": "acme-corp", "CHANNEL": "engineering", "USERNAME": "postgres", "SERVICE": "checkout-service",
	"API_URL": "https://api.example.com/v1", "BASE_URL": "http://localhost:3000", "WEBHOOK_BASE": "https://hooks.example.com/orders/new", "REGISTRY": "https://registry.example.com", "DATABASE_PLAIN": "postgres://db.example.com:5432/orders", "AUTH_URL": "https://login.example.com/oauth/authorize", "TOKEN_URL": "https://login.example.com/token", "SEARCH": "https://example.com/search?page_size=100&lang=german",
	"VERSION": "v22.11.0", "PYTHON": "3.13.0rc1", "API_VERSION": "2024-06-01", "SINCE": "2024-01-31T09:30:00Z", "IMAGE_TAG": "22.11.0-alpine", "TIME": "09:30:00", "LANG": "en_US.UTF-8", "LC_ALL": "de_DE.utf8", "TZ": "Europe/Berlin", "TZ_2": "America/Argentina/Ushuaia",
	"AUTH_TYPE": "service-account", "AUTH_MODE": "device-code", "TOKEN_TYPE": "long-lived", "KEY_PREFIX": "orders-prod", "SECRET_NAME": "orders-db-password", "OAUTH_SCOPES": "read-only",
}

// maskedIn loads a configuration with one server whose env, headers and URL have each
// of the variables, and returns which of the values it masks in a reply.
func maskedIn(t *testing.T, vars map[string]string, entry string) map[string]bool {
	t.Helper()
	var text strings.Builder
	text.WriteString("servers:\n")
	for name := range vars {
		fmt.Fprintf(&text, "  s_%s: "+entry+"\n", name, name)
	}
	masked := map[string]bool{}
	cfg, list := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text.String()})}, vars)
	if list.HasErrors() {
		t.Fatal(summary(list))
	}
	for name, value := range vars {
		masked[name] = cfg.Redactor.Redact("it answers <"+value+"> so") == "it answers <***> so"
	}
	return masked
}

// Whatever its name, a variable's value is masked wherever a configuration hands it on;
// what ordinary texts are full of is shown, unless its name is like a secret's.
func TestVariablesAreMaskedByTheirValues(t *testing.T) {
	dir := t.TempDir()
	here := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	maps.Copy(plainVariables, map[string]string{"HOME": dir, "PWD": dir, "SSH_KEY_PATH": here("id_ed25519"), "PATHS": dir + string(os.PathListSeparator) + here("bin"), "DATA": here("Data_Base.DB")})
	secretVariables["PASS_PHRASE"] = dir
	if n := len(secretVariables) + len(plainVariables); n < 150 {
		t.Errorf("only %d variables are tried", n)
	}
	for place, entry := range map[string]string{
		"env": `{command: run, env: {X: "${%s}"}}`, "env with a default": `{command: run, env: {X: "${%s:-none}"}}`, "a part of env": `{command: run, env: {X: "--to=${%s}; ok"}}`,
		"a header": `{url: "https://x.example/", headers: {X-Y: "${%s}"}}`,
	} {
		for name, masked := range maskedIn(t, secretVariables, entry) {
			if !masked {
				t.Errorf("in %s, %s=%s is shown", place, name, secretVariables[name])
			}
		}
		for name, masked := range maskedIn(t, plainVariables, entry) {
			if masked {
				t.Errorf("in %s, %s=%s is masked", place, name, plainVariables[name])
			}
		}
	}
}

// A part that is a secret alone is masked alone, and a variable beside it is judged by itself.
func TestPartsOfValuesAreMasked(t *testing.T) {
	vars := map[string]string{"HOST": "db.example.com", "WORD": "hunter-two-two", "REGION": "us-east-1", "ODD": aKey, "OTHER": aKey + "x"}
	for name, value := range secretVariables {
		if strings.Contains(value, "hunter-two-two") || strings.HasPrefix(value, "{") || strings.HasPrefix(value, "Bearer") || name == "RAW_URL" {
			vars[name] = value
		}
	}
	var text strings.Builder
	for name := range vars {
		if name != "HOST" && name != "WORD" && name != "REGION" && name != "ODD" && name != "OTHER" {
			fmt.Fprintf(&text, ", %s: \"${%s}\"", name, name)
		}
	}
	cfg, list := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": `
servers:
  a: {command: run, args: ["--db=postgres://ann:in-the-args@${HOST}/x"], env: {MIX: "${HOST}/${REGION}?${ODD}", GONE: "${UNSET:-` + aKey + `-default}", DB_PASSWORD: "${ALSO_UNSET:-plain-default}"` + text.String() + `}}
  b: {url: "https://${HOST}/${OTHER}/mcp", headers: {Authorization: "Bearer ${REGION}", X-Region: "at ${HOST}", Cookie: "a=${WORD}"}}
`})}, vars)
	if len(list) > 0 {
		t.Fatal(summary(list))
	}
	for text, want := range map[string]string{
		"the password hunter-two-two": "the password ***", "line-one-of-a-key\nline-two": "***", "Bearer " + aKey: "***", aKey: "***", "hunter#two%two": "***", "in-the-args": "***", aKey + "-default": "***", "plain-default": "***",
		"db.example.com": "db.example.com", "in us-east-1": "in ***", // for it is what a header of authorization has
		"GET /" + aKey + "x/mcp": "GET /***/mcp",
	} {
		if got := cfg.Redactor.Redact(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	for name := range vars {
		if got := cfg.Redactor.Redact("hunter-two-two"); got != "***" {
			t.Errorf("%s: the password is shown as %s", name, got)
		}
	}
}
